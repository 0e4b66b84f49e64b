import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { seededRandom } from "../../../../src/forecast/seeded.ts";
import { isLockError } from "../../../../src/lock/errors.ts";
import { Network } from "../../../helpers/tcp/network.ts";
import { open, request } from "../../../helpers/tcp/support.ts";
import { type Door, HTTP, TCP, urlOf } from "./doors.ts";

const LEASE_MS = 4_000;
const CLIENTS = 3;
const LEAST_MS = 10_000;
const LEAST_GRANTS = 5;
const LEAST_LOSSES = 2;

it.each([TCP, HTTP])(
  "never has two holders over $plain, however the networks between them and the server fail",
  async (door) => {
    const { port } = await door.spawn();
    await neverTwoHolders(port, door);
  },
  300_000,
);

/** Several clients of one server, each behind a network of its own that fails again and again. */
async function neverTwoHolders(port: number, door: Door): Promise<void> {
  const random = seededRandom(Number(process.env.HOLDFAST_SEED ?? 7));
  const networks = await Promise.all(
    Array.from({ length: CLIENTS }, () => Network.start(() => port)),
  );
  const started = performance.now();
  const holders = new Set<string>();
  const overlaps: string[] = [];
  const fences: number[] = [];
  let losses = 0;

  // Until enough has happened to show something; on a slow machine that takes longer.
  function isEnough(): boolean {
    const lasted = performance.now() - started > LEAST_MS;
    return lasted && fences.length >= LEAST_GRANTS && losses >= LEAST_LOSSES;
  }

  async function use(network: Network, name: string): Promise<void> {
    const store = await open(urlOf(door, network.port));
    while (!isEnough()) {
      const holding = await store
        .claim(request(name, { deadAfter: LEASE_MS }), { timeout: LEASE_MS })
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
      await pause(random() * LEASE_MS * 1.5);
      // A client has ended its work before it releases.
      holders.delete(name);
      await holding.release().catch(() => {});
    }
  }

  async function trouble(network: Network): Promise<void> {
    while (!isEnough()) {
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
  expect(overlaps).toEqual([]);
  expect(fences).toEqual([...fences].sort((one, other) => one - other));
}
