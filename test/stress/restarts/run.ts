import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../../src/forecast/seeded.ts";
import { isLockError, messageOf } from "../../../src/lock/errors.ts";
import type { Store } from "../../../src/lock/store.ts";
import { openStore } from "../../../src/stores/open.ts";
import { Checker } from "../../history/checker.ts";
import { HistoryWriter, now, readHistory } from "../../history/event.ts";
import { Witness } from "../../history/witness.ts";
import { FileClient } from "./file-client.ts";
import { Referee } from "./referee.ts";

/** A server that can be ended and started again at the same addresses. */
export interface Victim {
  readonly port: number;
  readonly httpPort: number | null;
  restart(): Promise<void>;
}

export interface RestartOptions {
  readonly kills: number;
  /** Who claims over TCP, and who over HTTP. */
  readonly keepers: number;
  readonly sessions: number;
  readonly writers: number;
  readonly keys: number;
  readonly seed: number;
  /** Where the history is written. */
  readonly history: string;
}

export interface RestartFigures {
  readonly kills: number;
  readonly grants: number;
  /** Holds that began before a kill and ended after it. */
  readonly carried: number;
  /** Grants of claims that waited before a kill and after it: their order was judged. */
  readonly places: number;
  readonly writes: number;
  readonly faults: readonly string[];
}

const LEASE_MS = 30_000;
const AWAY_MS = 60_000;
const RETRY_MS = 50;

/** A server that is away when it is first spoken to is its user's business: here, to try again. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const away = isLockError(error, "STORE_UNREACHABLE") && performance.now() - start < AWAY_MS;
      if (!away) throw error;
    }
    await delay(RETRY_MS);
  }
}

/**
 * Clients claim and release locks and write files without pause, while the server is killed again
 * and again at random moments. The checker of histories judges every hold, through both doors.
 */
export async function runRestarts(
  victim: Victim,
  options: RestartOptions,
  onKill: (kill: number) => void = () => {},
): Promise<RestartFigures> {
  const chance = seededRandom(options.seed);
  const referee = new Referee();
  const history = new HistoryWriter(options.history);
  const restart = () => history.write({ at: now(), process: "server", event: "restart" });
  let over = false;
  let kills = 0;

  async function hammer(store: Store, name: string): Promise<void> {
    const witness = new Witness(store, history, name);
    for (let round = 0; !over; round += 1) {
      const key = `key-${Math.floor(chance() * options.keys)}`;
      const owner = { id: `${name}-${round}`, metadata: {} };
      try {
        const { holding, release } = await patiently(() => {
          return witness.claim(owner.id, { key, owner, deadAfter: LEASE_MS }, { timeout: 60_000 });
        });
        const began = kills;
        referee.served(name);
        await delay(chance() * 150);
        if (kills !== began) referee.carried += 1;
        // No restart takes as long as a lease.
        if (holding.lost.aborted) referee.fault(`${owner.id}: ${messageOf(holding.lost.reason)}`);
        await patiently(release);
      } catch (error) {
        if (!over) referee.fault(`${owner.id}: ${messageOf(error)}`);
      }
    }
  }

  async function write(name: string): Promise<void> {
    const client = new FileClient(victim.httpPort as number, name);
    for (let round = 1; !over; round += 1) {
      const body = Buffer.alloc(20_000 + Math.floor(chance() * 200_000), `${name} ${round} `);
      const digest = createHash("sha256").update(body).digest("hex");
      await client.write(JSON.stringify({ round, digest }), body);
      referee.writes += 1;
      await delay(chance() * 100);
      const fault = await client.check(round);
      if (fault !== null) referee.fault(fault);
    }
  }

  const stores: Store[] = [];
  const open = async (url: string) => {
    const store = await openStore(url);
    stores.push(store);
    return store;
  };
  const crew: Promise<void>[] = [];
  for (let index = 0; index < options.keepers; index += 1) {
    crew.push(hammer(await open(`tcp://127.0.0.1:${victim.port}`), `keeper-${index}`));
  }
  for (let index = 0; index < options.sessions; index += 1) {
    crew.push(hammer(await open(`http://127.0.0.1:${victim.httpPort}`), `session-${index}`));
  }
  for (let index = 0; index < options.writers; index += 1) crew.push(write(`writer-${index}`));

  for (; kills < options.kills; ) {
    await delay(200 + chance() * 1_200);
    kills += 1;
    restart();
    await victim.restart();
    restart();
    onKill(kills);
  }
  // Everybody must get in at least once more.
  await referee.untilEverybodyWasServed(options.keepers + options.sessions);
  over = true;
  await Promise.all(crew);
  for (const store of stores) await store.close();
  history.close();
  const checker = new Checker({ tellWithin: 0 });
  for (const event of readHistory(options.history)) checker.follow(event);
  const verdict = checker.verdict();
  const illegal = verdict.faults.map(({ kind, sentence }) => `${kind}: ${sentence}`);
  const { grants, carried, writes, faults } = referee;
  const all = [...faults, ...illegal, ...verdict.unknown];
  return { kills, grants, carried, places: verdict.carried, writes, faults: all };
}
