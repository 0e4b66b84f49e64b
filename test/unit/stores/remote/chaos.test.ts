import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { seededRandom } from "../../../../src/forecast/seeded.ts";
import { isLockError } from "../../../../src/lock/errors.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { Network } from "../../../helpers/tcp/network.ts";
import { open, request } from "../../../helpers/tcp/support.ts";
import { Checker } from "../../../history/checker.ts";
import { HistoryWriter, now, readHistory } from "../../../history/event.ts";
import { Witness } from "../../../history/witness.ts";
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
  const path = join(temporaryDirectory(), "history.jsonl");
  const history = new HistoryWriter(path);
  const outage = () => history.write({ at: now(), process: "network", event: "outage" });
  let grants = 0;
  let losses = 0;

  // Until enough has happened to show something; on a slow machine that takes longer.
  function isEnough(): boolean {
    const lasted = performance.now() - started > LEAST_MS;
    return lasted && grants >= LEAST_GRANTS && losses >= LEAST_LOSSES;
  }

  async function use(network: Network, name: string): Promise<void> {
    const store = await open(urlOf(door, network.port));
    const witness = new Witness(store, history, name);
    for (let round = 0; !isEnough(); round++) {
      const wanted = request(name, { deadAfter: LEASE_MS });
      const witnessed = await witness
        .claim(`${name}#${round}`, wanted, { timeout: LEASE_MS })
        .catch((error) => {
          if (!isLockError(error)) throw error;
        });
      if (witnessed === undefined) continue;
      grants++;
      witnessed.holding.lost.addEventListener("abort", () => {
        losses++;
      });
      await pause(random() * LEASE_MS * 1.5);
      await witnessed.release().catch((error) => {
        if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
      });
    }
  }

  async function trouble(network: Network): Promise<void> {
    while (!isEnough()) {
      await pause(random() * LEASE_MS * 2);
      outage();
      network.cut();
      await pause(random() * LEASE_MS * 1.5);
      network.heal();
      outage();
    }
    network.heal();
  }

  await Promise.all([
    ...networks.map((network, index) => use(network, `client-${index}`)),
    ...networks.map(trouble),
  ]);
  history.close();
  const checker = new Checker({ tellWithin: 0 });
  for (const event of readHistory(path)) checker.follow(event);
  expect(checker.verdict()).toMatchObject({ faults: [], unknown: [], grants });
}
