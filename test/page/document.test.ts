import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startPanel } from "../helpers/panel/panel.ts";

const FOLDER = fileURLToPath(new URL("../../src/server/page", import.meta.url));
const FILES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .map((name) => name.split(sep).join("/"))
  .filter((name) => [".html", ".css", ".js"].includes(extname(name)));
const SCRIPTS = FILES.filter((name) => extname(name) === ".js");
const STYLES = FILES.filter((name) => extname(name) === ".css");

/** The command line's words for durations, which the page says too. */
const DURATION = "scripts/duration.js";
SCRIPTS.push(DURATION);
FILES.push(DURATION);

function textOf(name: string): string {
  const path = name === DURATION ? "../../lock/people/duration.js" : name;
  return readFileSync(join(FOLDER, path), "utf8");
}

/** What can be said of the page without a browser. */
describe("the page as a document", () => {
  it.each(SCRIPTS)("has a script %s that can be read, and that only ever sets text", (name) => {
    const script = textOf(name);
    expect(() => stripTypeScriptTypes(script)).not.toThrow();
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/);
    expect(script).not.toMatch(/\bnew Function\b|setTimeout\("|localStorage|\.cookie\b/);
  });

  it("is allowed its own scripts and styles, and nothing else", async () => {
    const server = await startPanel();
    const response = await server.ask("/");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy") ?? "";
    const html = await response.text();
    expect(html).toBe(textOf("index.html"));
    expect(html).not.toMatch(
      /<style|<script(?! type="module" src="admin\/page\/[^"]+"><\/script>)/,
    );
    const styles = [...html.matchAll(/<link rel="stylesheet" href="admin\/page\/([^"]+)">/g)];
    expect(styles.map(([, name]) => name).sort()).toEqual(STYLES.sort());
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("unsafe");
    expect(html).not.toMatch(/\b(?:src|href)="?https?:|\son\w+=|style=/);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
  });

  it("has every file below /admin/page/, without a token and with the same policy", async () => {
    const server = await startPanel({ "auth-token": "secret" });
    const policy = (await server.ask("/")).headers.get("content-security-policy");
    for (const name of [...SCRIPTS, ...STYLES]) {
      const response = await server.ask(`/admin/page/${name}`);
      expect(response.status, name).toBe(200);
      const type = extname(name) === ".js" ? "text/javascript" : "text/css";
      expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
      expect(response.headers.get("content-security-policy")).toBe(policy);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(await response.text()).toBe(textOf(name));
    }
  });

  it.each(["page.ts", "tsconfig.json", "scripts", "scripts/", "", "nothing.js", "%2e%2e/page.ts"])(
    "has no file at /admin/page/%s",
    async (name) => {
      const server = await startPanel();
      expect([400, 404]).toContain((await server.ask(`/admin/page/${name}`)).status);
    },
  );

  it("is small enough for a slow line, as browsers ask for it", async () => {
    const server = await startPanel();
    let bytes = 0;
    for (const name of FILES) {
      const path = name === "index.html" ? "/" : `/admin/page/${name}`;
      const headers = { "accept-encoding": "gzip, deflate, br, zstd" };
      const response = await server.ask(path, { method: "HEAD", headers });
      expect(response.headers.get("content-encoding"), name).toBe("br");
      expect(response.headers.get("vary")).toBe("accept-encoding");
      bytes += Number(response.headers.get("content-length"));
    }
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(32_000);
  });

  it.each([
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["BR", "br"],
    ["identity", null],
    ["gzip;q=0", null],
    ["deflate", null],
  ])("is sent to a reader that takes %s as %s, each with a tag of its own", async (takes, sent) => {
    const server = await startPanel();
    const headers = { "accept-encoding": takes };
    const response = await server.ask("/", { headers });
    expect(response.headers.get("content-encoding")).toBe(sent);
    expect(await response.text()).toBe(textOf("index.html"));
    const etag = response.headers.get("etag") ?? "";
    const again = { headers: { ...headers, "if-none-match": etag } };
    expect((await server.ask("/", again)).status).toBe(304);
    const plain = { "accept-encoding": "identity", "if-none-match": etag };
    expect((await server.ask("/", { headers: plain })).status).toBe(sent === null ? 304 : 200);
  });

  it.each(["/", "/admin/page/scripts/main.js"])(
    "is sent again only where it has changed: %s",
    async (path) => {
      const server = await startPanel();
      const etag = (await server.ask(path)).headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      const again = await server.ask(path, { headers: { "if-none-match": etag } });
      expect(again.status).toBe(304);
      expect((await server.ask(path, { method: "HEAD" })).status).toBe(200);
    },
  );
});
