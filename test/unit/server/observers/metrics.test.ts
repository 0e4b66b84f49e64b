import { describe, expect, it } from "vitest";
import { Histogram } from "../../../../src/server/observers/histogram.ts";
import { KEYS_LIMIT } from "../../../../src/server/observers/key-metrics.ts";
import { escapeLabel, Metrics } from "../../../../src/server/observers/metrics.ts";
import { type Family, parseExposition } from "../../../helpers/panel/exposition.ts";
import { breakPath, type PanelServer, startPanel } from "../../../helpers/panel/panel.ts";
import { PATIENT } from "../../../helpers/waiting.ts";

async function scrape(server: PanelServer): Promise<Map<string, Family>> {
  return parseExposition(await (await server.ask("/metrics")).text());
}

function sampleOf(families: Map<string, Family>, name: string, sample = name): number | undefined {
  return families.get(name)?.samples.get(sample);
}

describe("GET /metrics", () => {
  it("is Prometheus' text format, with every counter at 0 before anything happened", async () => {
    const server = await startPanel();
    const response = await server.ask("/metrics");
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const families = parseExposition(await response.text());
    const counters = [...families].filter(([, { type }]) => type === "counter");
    expect(counters.map(([name]) => name)).toEqual([
      "holdfast_connections_refused_total",
      "holdfast_grants_total",
      "holdfast_renewals_total",
      "holdfast_releases_total",
      "holdfast_expiries_total",
      "holdfast_breaks_total",
      "holdfast_hangups_total",
      "holdfast_losses_total",
      "holdfast_abandoned_waits_total",
      "holdfast_superseded_total",
      "holdfast_key_grants_total",
      "holdfast_key_holds_total",
      "holdfast_key_losses_total",
      "holdfast_key_wait_seconds_total",
      "holdfast_key_hold_seconds_total",
    ]);
    const [[refused, { samples: refusals }], ...plain] = counters as [
      [string, Family],
      ...[string, Family][],
    ];
    const reasons = ["max-connections", "descriptors", "address", "unauthenticated"];
    expect([...refusals]).toEqual(reasons.map((reason) => [`${refused}{reason="${reason}"}`, 0]));
    for (const [name, { samples }] of plain) {
      const label = name.startsWith("holdfast_key_") ? '{key="other"}' : "";
      expect([...samples], name).toEqual([[name + label, 0]]);
    }
    const info = [...(families.get("holdfast_build_info")?.samples ?? [])];
    expect(info).toEqual([[`holdfast_build_info{version="1.2.3",node="${process.version}"}`, 1]]);
    const started = sampleOf(families, "process_start_time_seconds") as number;
    expect(Date.now() / 1_000 - started).toBeGreaterThanOrEqual(0);
    expect(Date.now() / 1_000 - started).toBeLessThan(120);
  });

  it("shows who holds, waits and is connected just now", async () => {
    const server = await startPanel();
    const session = await server.session();
    await server.lock(session, "over-http", "acquire");
    const [holder, waiter] = [await server.connect(), await server.connect()];
    await holder.take("a");
    await holder.take("b");
    waiter.send("l\na\n60\n");
    await expect.poll(async () => (await server.key("a")).waiting, PATIENT).toBe(1);
    const families = await scrape(server);
    expect(sampleOf(families, "holdfast_holders")).toBe(3);
    expect(sampleOf(families, "holdfast_waiters")).toBe(1);
    expect(sampleOf(families, "holdfast_keys")).toBe(3);
    expect(sampleOf(families, "holdfast_sessions")).toBe(1);
    expect(sampleOf(families, "holdfast_storage_trouble")).toBe(0);
    const connections = families.get("holdfast_connections")?.samples;
    expect(connections?.get('holdfast_connections{door="tcp"}')).toBe(2);
    expect(connections?.get('holdfast_connections{door="http"}')).toBeGreaterThan(0);
  });

  it("counts every end by its kind", async () => {
    const server = await startPanel({ "lease-sweep-interval": "0.02" });
    const client = await server.connect();
    await client.free("released", await client.take("released"));
    await client.take("broken");
    await server.json(breakPath("broken", { reason: "test" }), { method: "DELETE" });
    await client.take("expired", { lease: 1 });
    const dying = await server.connect();
    await dying.take("hung-up");
    dying.hangUp();
    expect(await client.ask("l\nreleased\n0\n")).toMatch(/^ok /);
    const impatient = await server.connect();
    expect(await impatient.ask("l\nreleased\n0\n")).toBe("timeout");
    await expect
      .poll(async () => sampleOf(await scrape(server), "holdfast_expiries_total"), PATIENT)
      .toBe(1);
    await expect
      .poll(async () => sampleOf(await scrape(server), "holdfast_hangups_total"), PATIENT)
      .toBe(1);
    const families = await scrape(server);
    expect(sampleOf(families, "holdfast_grants_total")).toBe(5);
    expect(sampleOf(families, "holdfast_releases_total")).toBe(1);
    expect(sampleOf(families, "holdfast_breaks_total")).toBe(1);
    expect(sampleOf(families, "holdfast_losses_total")).toBe(3);
    expect(sampleOf(families, "holdfast_holders")).toBe(1);
    expect(sampleOf(families, "holdfast_hold_seconds", "holdfast_hold_seconds_count")).toBe(4);
    expect(sampleOf(families, "holdfast_wait_seconds", "holdfast_wait_seconds_count")).toBe(5);
  });

  it("measures how long claims waited", async () => {
    const server = await startPanel();
    const [holder, waiter] = [await server.connect(), await server.connect()];
    const token = await holder.take("k");
    waiter.send("l\nk\n60\n");
    await expect.poll(async () => (await server.key("k")).waiting, PATIENT).toBe(1);
    const since = Date.parse((await server.key("k")).waiters[0]?.since as string);
    await expect.poll(() => Date.now() - since, PATIENT).toBeGreaterThan(110);
    await holder.free("k", token);
    await waiter.line();
    const waits = (await scrape(server)).get("holdfast_wait_seconds")?.samples;
    expect(waits?.get("holdfast_wait_seconds_count")).toBe(2);
    expect(waits?.get("holdfast_wait_seconds_sum")).toBeGreaterThan(0.1);
    expect(waits?.get('holdfast_wait_seconds_bucket{le="0.005"}')).toBe(1);
    expect(waits?.get('holdfast_wait_seconds_bucket{le="0.1"}')).toBe(1);
    expect(waits?.get('holdfast_wait_seconds_bucket{le="+Inf"}')).toBe(2);
  });

  it("names so many keys and no owner, however many there are; the rest is taken together", async () => {
    const server = await startPanel({ "max-locks": "0" });
    const client = await server.keeper("a-stranger", "their-note");
    await client.free("first", await client.take("first"));
    // Taken for the rest, as is a key that no label should hold.
    for (const key of ["other", "x".repeat(201)]) await client.take(key);
    for (let index = 0; index < 200; index += 1) await client.take(`key-${index}`);
    await server.ask("/admin/freezes/key-0?reason=x", { method: "PUT" });
    await server.ask("/admin/freezes/key-199?reason=x", { method: "PUT" });
    await server.json(breakPath("key-1", { reason: "test" }), { method: "DELETE" });
    const families = await scrape(server);
    const value = (name: string, key: string) =>
      families.get(name)?.samples.get(`${name}{key="${key}"}`);
    expect(families.get("holdfast_key_holders")?.samples.size).toBe(KEYS_LIMIT + 1);
    expect(value("holdfast_key_holders", "first")).toBe(0);
    expect(value("holdfast_key_grants_total", "first")).toBe(1);
    expect(value("holdfast_key_holds_total", "first")).toBe(1);
    expect(value("holdfast_key_losses_total", "first")).toBe(0);
    expect(value("holdfast_key_losses_total", "key-1")).toBe(1);
    expect([value("holdfast_key_frozen", "key-0"), value("holdfast_key_frozen", "key-2")]).toEqual([
      1, 0,
    ]);
    // 100 keys have their own series, `first` among them: 99 of the 200, and the two above.
    expect(value("holdfast_key_holders", "other")).toBe(200 - 99 + 2);
    expect(value("holdfast_key_grants_total", "other")).toBe(200 - 99 + 2);
    expect(value("holdfast_key_frozen", "other")).toBe(1);
    expect(sampleOf(families, "holdfast_holders")).toBe(201);
    const text = await (await server.ask("/metrics")).text();
    expect(text).not.toMatch(/key-199|a-stranger|their-note|xxxx/);
  });
});

describe("a histogram", () => {
  it("has buckets that add up, a bound belonging to its own bucket", () => {
    const histogram = new Histogram();
    for (const milliseconds of [0, 5, 5.1, 1_000, 3_600_000, 1e9, -50]) {
      histogram.observe(milliseconds);
    }
    const text = `# HELP h help\n# TYPE h histogram\n${histogram.render("h")}`;
    const samples = parseExposition(text).get("h")?.samples ?? new Map<string, number>();
    const buckets = [...samples].filter(([name]) => name.startsWith("h_bucket"));
    const counts = buckets.map(([, count]) => count);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(samples.get('h_bucket{le="0.005"}')).toBe(3);
    expect(samples.get('h_bucket{le="0.01"}')).toBe(4);
    expect(samples.get('h_bucket{le="1"}')).toBe(5);
    expect(samples.get('h_bucket{le="3600"}')).toBe(6);
    expect(samples.get('h_bucket{le="86400"}')).toBe(6);
    expect(buckets.at(-1)).toEqual(['h_bucket{le="+Inf"}', 7]);
    expect(samples.get("h_count")).toBe(7);
    expect(samples.get("h_sum")).toBeCloseTo(0 + 0.005 + 0.0051 + 1 + 3_600 + 1e6, 6);
  });
});

describe("labels", () => {
  it("are escaped", () => {
    expect(escapeLabel('a"b\\c\nd')).toBe('a\\"b\\\\c\\nd');
    const metrics = new Metrics({ version: 'odd "\\\n', startedAt: 0, now: () => 0 });
    const gauges = { holders: 0, waiters: 0, keys: 0, sessions: 0, listeners: 0, trouble: true };
    const refusals = { "max-connections": 0, descriptors: 0, address: 0, unauthenticated: 0 };
    const connections = { tcpConnections: 0, httpConnections: 0, unproven: 0, refusals };
    const text = metrics.render({ ...gauges, ...connections });
    const families = parseExposition(text);
    expect([...(families.get("holdfast_build_info")?.samples.keys() ?? [])][0]).toContain(
      'version="odd \\"\\\\\\n"',
    );
    expect(families.get("holdfast_storage_trouble")?.samples.get("holdfast_storage_trouble")).toBe(
      1,
    );
  });
});
