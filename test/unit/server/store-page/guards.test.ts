import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { cli, json, startCli } from "../../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { type StorePage, startPage } from "../../../helpers/page/store-page.ts";

/** Asks with headers that fetch would not send. */
function ask(
  { origin, token }: StorePage,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = new URL(path, origin);
    const all = { authorization: `Bearer ${token}`, ...headers };
    request(url, { headers: all }, (response) => {
      response.resume();
      resolve(response.statusCode as number);
    })
      .on("error", reject)
      .end();
  });
}

describe("holdfast page", () => {
  it("shows strangers on the machine the empty page and no locks", async () => {
    const page = await startPage(temporaryDirectory());
    expect((await fetch(page.origin)).status).toBe(200);
    for (const path of ["/admin/locks", "/admin/events", "/admin/recent", "/admin/history/k"]) {
      expect((await fetch(page.origin + path)).status, path).toBe(401);
      const headers = { authorization: `Bearer ${"0".repeat(32)}` };
      expect((await fetch(page.origin + path, { headers })).status, path).toBe(401);
    }
    expect((await page.ask("/admin/locks")).status).toBe(200);
    const inQuery = await fetch(`${page.origin}/admin/locks?token=${page.token}`);
    expect(inQuery.status).toBe(401);
  });

  it("is a page and no lock server", async () => {
    const page = await startPage(temporaryDirectory(), ["--allow-changes"]);
    for (const path of ["/k?lock=acquire", "/k", "/metrics", "/healthz", "/auth/session"])
      expect([400, 404], path).toContain((await page.ask(path, { method: "POST" })).status);
  });

  it.each([
    ["a foreign name", { host: "evil.example" }],
    ["a foreign name with the page's port", { host: "evil.example:PORT" }],
    ["another port", { host: "127.0.0.1:1" }],
    ["a foreign origin", { origin: "http://evil.example" }],
    ["no origin that has a name", { origin: "null" }],
    ["another server of this machine", { origin: "http://127.0.0.1:1" }],
    ["what a browser says comes from another site", { "sec-fetch-site": "cross-site" }],
  ])("refuses %s with 403, also with the token", async (_, headers) => {
    const page = await startPage(temporaryDirectory());
    const { port } = new URL(page.origin);
    const sent = Object.entries(headers).map(([name, text]) => [name, text.replace("PORT", port)]);
    expect(await ask(page, "/admin/locks", Object.fromEntries(sent))).toBe(403);
    const isLink = "sec-fetch-site" in headers;
    expect(await ask(page, "/", Object.fromEntries(sent))).toBe(isLink ? 200 : 403);
    expect(await ask(page, "/admin/locks", { host: `localhost:${port}` })).toBe(200);
  });

  it("has the security headers of the server's page", async () => {
    const { headers } = await fetch((await startPage(temporaryDirectory())).origin);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-frame-options")).toBe("DENY");
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "ends with 0 by %s, also while a browser is connected, and logs no token",
    async (signal) => {
      const page = await startPage(temporaryDirectory());
      await page.ask("/admin/locks", { headers: { authorization: "Bearer wrong" } });
      const events = await page.ask("/admin/events");
      expect(events.status).toBe(200);
      page.process.kill(signal);
      const ended = await page.process.ended;
      expect(ended.code).toBe(0);
      expect(ended.stderr).toContain("authentication failed");
      expect(ended.stderr).not.toContain(page.token);
      await events.body?.cancel();
    },
  );

  it("prints its address as JSON where that is wanted", async () => {
    const store = temporaryDirectory();
    const running = startCli(["page", "--store", store, "--json", "--allow-changes"]);
    const [line] = await running.prints(/^\{.*\}$/m);
    expect(JSON.parse(line)).toEqual({
      address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]{32}$/),
      store: `file:${store}`,
      mayChange: true,
    });
  });

  it("does not start on a port that is taken, or without its store", async () => {
    const page = await startPage(temporaryDirectory());
    const { port } = new URL(page.origin);
    const taken = await cli(["page", "--store", temporaryDirectory(), "--port", port, "--json"]);
    expect(taken.code).toBe(2);
    expect(json(taken)).toMatchObject({ error: { code: "BAD_OPTION" } });
    const away = await cli(["page", "--store", `redis://127.0.0.1:${port}`, "--json"]);
    expect(away.code).toBe(2);
    expect(json(away)).toMatchObject({ error: { code: expect.stringMatching(/^STORE_/) } });
    const bad = await cli(["page", "--port", "70000", "--json"]);
    expect(json(bad)).toMatchObject({ error: { code: "BAD_OPTION" } });
  });
});
