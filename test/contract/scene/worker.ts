import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { seededRandom } from "../../../src/forecast/seeded.ts";
import { isLockError, messageOf, SupersededError } from "../../../src/lock/errors.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";
import { HistoryWriter } from "../../history/event.ts";
import { Witness, type Witnessed } from "../../history/witness.ts";
import { hammer } from "../../stress/hammer.ts";
import { takeTogether } from "../../stress/together.ts";
import { openBy } from "./opener.ts";
import type { CommandArguments, CommandName, CommandResult, Failure, Message } from "./protocol.ts";

/**
 * A process that uses a store as it is told: `worker.ts URL OPTIONS HISTORY [OPENER]`. It ends by
 * itself when its standard input does, as long as the store keeps nothing open after `close`.
 */
const [, , url = "", options = "{}", historyPath = "", opener = ""] = process.argv;
const store = await openBy(opener, url, JSON.parse(options) as StoreOptions);
const history = new HistoryWriter(historyPath);
const holdings = new Map<string, Witnessed>();
const claims = new Map<string, AbortController>();

type Obey = { [N in CommandName]: (args: CommandArguments<N>) => Promise<CommandResult<N>> };

const obey: Obey = {
  async claim({ request, as, timeout }) {
    const controller = new AbortController();
    claims.set(as, controller);
    const witness = new Witness(store, history, as);
    const witnessed = await witness.claim(as, request, {
      timeout: timeout ?? null,
      signal: controller.signal,
      onProgress: (progress) => say({ event: "progress", as, progress }),
    });
    const { holding } = witnessed;
    holding.lost.addEventListener("abort", () => {
      say({ event: "lost", as, failure: failureOf(holding.lost.reason) });
    });
    holdings.set(as, witnessed);
    return { lease: holding.lease, reclaimed: holding.reclaimed ?? null };
  },
  async abort({ as }) {
    claims.get(as)?.abort();
    return null;
  },
  async release({ as }) {
    return held(as).release();
  },
  async renew({ as }) {
    await held(as).holding.renew();
    return null;
  },
  cover: ({ as, pid }) => held(as).holding.cover(pid),
  inspect: ({ key }) => store.inspect(key),
  list: ({ all }) => store.list({ all }),
  break: ({ key, options }) => store.break(key, options),
  verify: ({ lease }) => store.verify(lease),
  freeze: async ({ key, options }) => able(store.freeze).call(store, key, options),
  thaw: async ({ key, owner }) => able(store.thaw).call(store, key, { owner }),
  releaseRun: async ({ key, run }) => able(store.releaseRun).call(store, key, run),
  letGo: ({ lease }) => store.release(lease),
  hammer: ({ seed, ...task }) => {
    const { signal } = new AbortController();
    const random = seededRandom(seed);
    return hammer(store, { ...task, history, random, signal });
  },
  together: (task) => takeTogether(store, { ...task, history }),
};

/** A method that a test asks for only where the store's limits say that it is there. */
function able<T>(method: T | undefined): T {
  if (method === undefined) throw new Error("the store has no such method");
  return method;
}

function held(as: string): Witnessed {
  const holding = holdings.get(as);
  if (holding === undefined) throw new Error(`${as} holds nothing`);
  return holding;
}

function say(message: Message): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function failureOf(error: unknown): Failure {
  if (error instanceof SupersededError) {
    const { code, message, by, url } = error;
    return { code, message, superseded: { by, url } };
  }
  return isLockError(error)
    ? { code: error.code, message: error.message }
    : { code: "NOT_A_LOCK_ERROR", message: messageOf(error) };
}

async function answer(id: number, name: CommandName, args: unknown): Promise<void> {
  try {
    const result = await (obey[name] as (args: unknown) => Promise<unknown>)(args);
    say({ id, result });
  } catch (error) {
    say({ id, failure: failureOf(error) });
  }
}

say({ event: "ready", url: store.url });
// Many of these processes are killed, and would never leave what they compiled to the next one.
setTimeout(flushCompileCache, 500).unref();
for await (const line of createInterface({ input: process.stdin })) {
  const { id, name, arguments: args } = JSON.parse(line);
  void answer(id, name, args);
}
await store.close();
history.close();
