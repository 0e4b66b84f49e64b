import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openEtcdRegister } from "../../../../../src/stores/engines/etcd/register.ts";
import type { Register } from "../../../../../src/stores/engines/register.ts";
import { openStore } from "../../../../../src/stores/open.ts";
import { type Etcd, hasEtcd, startEtcd } from "../../../../helpers/engines/etcd.ts";
import { unusedPort } from "../../../../helpers/ports.ts";
import { Network } from "../../../../helpers/tcp/network.ts";
import { hold, open } from "../../../../helpers/tcp/support.ts";

const LONG_MS = 60_000;
const SOON_MS = 20_000;

describe.skipIf(!hasEtcd)("etcd as a register", () => {
  let etcd: Etcd;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.stop());

  function register(url: string): Register {
    const opened = openEtcdRegister(url);
    onTestFinished(() => opened.close());
    return opened;
  }

  async function put(at: Register, version: string | null, options = {}): Promise<string> {
    const swap = await at.swap("k", version, JSON.stringify({ at: Math.random() }), options);
    if (swap.outcome !== "done") throw new Error(swap.outcome);
    return swap.version;
  }

  it("shows its documents and sessions to etcdctl, by names that a person can read", async () => {
    const url = await etcd.fresh();
    const prefix = new URL(url).pathname.slice(1);
    const holding = await hold(await open(url), "holder");
    const names = await etcd.etcdctl(["get", "--prefix", "--keys-only", `${prefix}/`]);
    expect(names.split("\n").filter(Boolean)).toEqual([
      expect.stringMatching(new RegExp(`^${prefix}/beacons/[0-9a-f]{16}$`)),
      `${prefix}/locks/production`,
    ]);
    const shown = await etcd.etcdctl(["get", "--print-value-only", `${prefix}/locks/production`]);
    expect(JSON.parse(shown)).toMatchObject({ holders: [{ owner: "holder" }] });
    await holding.release();
  });

  it("leaves no session and no lease behind", async () => {
    const leases = async () =>
      ((await etcd.ask("/v3/lease/leases", {})).leases as unknown[] | undefined)?.length ?? 0;
    const before = await leases();
    const store = await openStore(await etcd.fresh());
    const request = { key: "k", owner: { id: "one", metadata: {} } };
    const holding = await store.claim(request);
    await expect(store.claim(request, { timeout: 0 })).rejects.toMatchObject({ code: "TIMEOUT" });
    await holding.release();
    await store.close();
    expect(await leases()).toBe(before);
  });

  it("keeps stores with prefixes that begin alike apart", async () => {
    const [, host = "", prefix = ""] = /^etcd:\/\/(.*)\/(.*)$/.exec(await etcd.fresh()) ?? [];
    const stores = await Promise.all(
      [prefix, `${prefix}2`, `${prefix}/locks`].map((each) => open(`etcd://${host}/${each}`)),
    );
    for (const store of stores) await hold(store, "holder");
    for (const store of stores)
      expect((await store.list()).map(({ key }) => key)).toEqual(["production"]);
  });

  it("wakes a session only for what concerns it", async () => {
    const url = await etcd.fresh();
    const [one, other] = [register(url), register(url)];
    const mine = one.session("mine", LONG_MS);
    await mine.renew();
    let version = await put(one, null);
    const woken = mine.changed("k", version, { pause: LONG_MS });
    let isWoken = false;
    void woken.then(() => {
      isWoken = true;
    });
    version = await put(other, version, { wakes: ["another"] });
    // A watch on the document itself hears of it, and by then the other one would have.
    await other.changed("k", String(Number(version) - 1), { pause: LONG_MS });
    expect(isWoken).toBe(false);
    const began = performance.now();
    await put(other, version, { wakes: ["mine", "another"] });
    await woken;
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    // A session that is dead does not live again by being touched.
    const alive = await other.alive(["mine", "another"]);
    expect([alive.get("mine"), alive.get("another")]).toEqual([true, false]);
  });

  it("makes no swap where a session that it needs is dead", async () => {
    const url = await etcd.fresh();
    const [one, other] = [register(url), register(url)];
    const version = await put(one, null);
    await other.session("lives", LONG_MS).renew();
    const needs = ["lives", "dead"];
    expect((await one.swap("k", version, "{}", { needs })).outcome).toBe("conflict");
    expect((await one.read("k")).version).toBe(version);
    expect((await one.swap("k", version, "{}", { needs: ["lives"] })).outcome).toBe("done");
  });

  it("is woken once by its own key, where that was lost and made anew", async () => {
    const url = await etcd.fresh();
    const one = register(url);
    const leases = async () =>
      ((await etcd.ask("/v3/lease/leases", {})).leases as { ID: string }[] | undefined) ?? [];
    const before = (await leases()).map(({ ID }) => ID);
    const mine = one.session("mine", LONG_MS);
    await mine.renew();
    const version = await put(one, null);
    const woken = mine.changed("k", version, { pause: LONG_MS });
    const lease = (await leases()).find(({ ID }) => !before.includes(ID));
    await etcd.ask("/v3/lease/revoke", { ID: lease?.ID });
    await mine.renew();
    await woken;
    // The key is younger than the document by now: that alone must wake nobody again and again.
    let turns = 0;
    const end = performance.now() + 1_000;
    while (performance.now() < end) {
      await mine.changed("k", version, { pause: 250 });
      turns++;
    }
    expect(turns).toBeLessThan(7);
  });

  it("begins a session with the swap, also with one that loses", async () => {
    const url = await etcd.fresh();
    const [one, other] = [register(url), register(url)];
    const version = await put(other, null);
    const mine = one.session("mine", LONG_MS);
    await mine.begin();
    expect((await other.alive(["mine"])).get("mine")).toBe(false);
    const swap = await mine.swap("k", null, "{}");
    expect(swap.outcome).toBe("conflict");
    expect((await other.alive(["mine"])).get("mine")).toBe(true);
    expect((await other.read("k")).version).toBe(version);
  });

  it("goes on after a compaction, and is woken all the same", async () => {
    const url = await etcd.fresh();
    const [one, other] = [register(url), register(url)];
    const old = await put(one, null);
    const version = await put(one, old);
    for (let more = 0; more < 3; more++) await etcd.etcdctl(["put", "unrelated", String(more)]);
    const { header } = (await etcd.ask("/v3/kv/range", { key: "AA==" })) as {
      header: { revision: string };
    };
    await etcd.ask("/v3/kv/compaction", { revision: header.revision });
    // Whoever waits on what was forgotten has to look, and then waits on what is.
    await one.changed("k", version, { pause: LONG_MS });
    const woken = one.changed("k", version, { pause: LONG_MS });
    const began = performance.now();
    await put(other, version);
    await woken;
    expect(performance.now() - began).toBeLessThan(SOON_MS);
  });

  it("asks the next endpoint where one does not answer, and is silent on none of them", async () => {
    const network = await Network.start(() => etcd.port);
    const path = new URL(await etcd.fresh()).pathname;
    const dead = await unusedPort();
    const all = [dead, network.port, etcd.port].map((port) => `127.0.0.1:${port}`).join();
    const one = register(`etcd://${all}${path}`);
    const version = await put(one, null);
    network.cut();
    expect((await one.read("k")).version).toBe(version);
    // What was sent into the cut may stand or not: nobody tries it again blindly.
    const cut = register(`etcd://127.0.0.1:${network.port},127.0.0.1:${etcd.port}${path}`);
    expect((await cut.swap("k", version, "{}")).outcome).toBe("unknown");
    expect((await cut.swap("k", version, "{}")).outcome).toBe("done");
  });

  it("opens a watch again on another endpoint where its own is gone", async () => {
    const network = await Network.start(() => etcd.port);
    const path = new URL(await etcd.fresh()).pathname;
    const url = `etcd://127.0.0.1:${network.port},127.0.0.1:${etcd.port}${path}`;
    const [one, other] = [register(url), register(`etcd://127.0.0.1:${etcd.port}${path}`)];
    const version = await put(one, null);
    const woken = one.changed("k", version, { pause: LONG_MS });
    // The watch has the connection that there was, and a read needs another.
    await expect.poll(async () => (await one.read("k")) && network.accepted).toBeGreaterThan(1);
    network.hangUp();
    const began = performance.now();
    await put(other, version);
    await woken;
    expect(performance.now() - began).toBeLessThan(LONG_MS / 2);
  });
});
