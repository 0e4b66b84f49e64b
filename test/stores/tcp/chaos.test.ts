import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { isLockError } from "../../../src/lock/errors.ts";
import { startProcess } from "../../server/kit/server.ts";
import { seededRandom } from "../../stress/random.ts";
import { Network } from "./network.ts";
import { open, request } from "./support.ts";

const LEASE_MS = 4_000;
const CLIENTS = 3;
const LASTS_MS = 30_000;

it("never has two holders, however the networks between them and the server fail", async () => {
  const { port } = await startProcess(["--log-level", "error"]);
  const random = seededRandom(Number(process.env.HOLDFAST_SEED ?? 7));
  const networks = await Promise.all(
    Array.from({ length: CLIENTS }, () => Network.start(() => port)),
  );
  const end = performance.now() + LASTS_MS;
  const holders = new Set<string>();
  const overlaps: string[] = [];
  const fences: number[] = [];
  let losses = 0;

  async function use(network: Network, name: string): Promise<void> {
    const store = await open(network.url);
    while (performance.now() < end) {
      const holding = await store
        .claim(request(name, { lease: LEASE_MS }), { timeout: LEASE_MS })
        .catch((error) => {
          if (!isLockError(error)) throw error;
        });
      if (holding === undefined) continue;
      if (holders.size > 0) overlaps.push(`${name} beside ${[...holders]}`);
      holders.add(name);
      fences.push(holding.lease.fence as number);
      holding.lost.addEventListener("abort", () => {
        holders.delete(name);
        losses += 1;
      });
      await pause(random() * LEASE_MS);
      // Whoever lets go has ended its work before it says so.
      holders.delete(name);
      await holding.release().catch(() => {});
    }
  }

  async function trouble(network: Network): Promise<void> {
    while (performance.now() < end) {
      await pause(random() * LEASE_MS * 2);
      network.cut();
      await pause(random() * LEASE_MS * 1.5);
      network.heal();
    }
    network.heal();
  }

  await Promise.all([
    ...networks.map((network, index) => use(network, `client-${index}`)),
    ...networks.map(trouble),
  ]);
  console.log(fences.length, losses);
  expect(overlaps).toEqual([]);
  expect(fences).toEqual([...fences].sort((one, other) => one - other));
  // Were there neither grants nor losses, it would show nothing.
  expect(fences.length).toBeGreaterThan(3);
  expect(losses).toBeGreaterThan(0);
});
