import { createHash } from "node:crypto";
import { Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { SCRIPT } from "../../src/server/page/script/index.ts";
import { STYLE } from "../../src/server/page/style.ts";
import { startPanel } from "../helpers/panel/panel.ts";

/** What can be said of the page without a browser. */
describe("the page as a document", () => {
  it("has a script that can be read, and that only ever sets text", () => {
    expect(() => new Script(SCRIPT)).not.toThrow();
    expect(SCRIPT).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/);
    expect(SCRIPT).not.toMatch(/\bnew Function\b|setTimeout\("|localStorage|\.cookie\b/);
  });

  it("is allowed its own script and style by their hashes, and nothing else", async () => {
    const server = await startPanel();
    const response = await server.ask("/");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy") ?? "";
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const html = await response.text();
    const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text]) => text);
    const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text]) => text);
    expect(scripts).toEqual([SCRIPT]);
    expect(styles).toEqual([STYLE]);
    expect(policy).toContain(`default-src 'none'; script-src ${hash(SCRIPT)};`);
    expect(policy).toContain(`style-src ${hash(STYLE)};`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(html).not.toMatch(/\b(?:src|href)="?https?:|\son\w+=|style=/);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
  });

  it("is small enough for a slow line", async () => {
    const html = await (await (await startPanel()).ask("/")).text();
    expect(Buffer.byteLength(html)).toBeLessThan(64_000);
  });

  it("is sent again only where it has changed", async () => {
    const server = await startPanel();
    const etag = (await server.ask("/")).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const again = await server.ask("/", { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
    expect((await server.ask("/", { method: "HEAD" })).status).toBe(200);
  });
});
