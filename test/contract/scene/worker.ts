import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { seededRandom } from "../../../src/forecast/seeded.ts";
import { isLockError, messageOf, SupersededError } from "../../../src/lock/errors.ts";
import type {
  ClaimOptions,
  ClaimRequest,
  LinePlace,
  Progress,
  Store,
} from "../../../src/lock/store.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";
import { HistoryWriter } from "../../history/event.ts";
import { Witness, type Witnessed } from "../../history/witness.ts";
import { hammer } from "../../stress/hammer.ts";
import { takeTogether } from "../../stress/together.ts";
import { openBy } from "./opener.ts";
import type {
  CommandArguments,
  CommandName,
  CommandResult,
  Failure,
  Granted,
  Message,
} from "./protocol.ts";

/**
 * A process that uses a store as it is told: `worker.ts URL OPTIONS HISTORY [OPENER]`. It ends by
 * itself when its standard input does, as long as the store keeps nothing open after `close`.
 */
const [, , url = "", options = "{}", historyPath = "", opener = ""] = process.argv;
const store = await openBy(opener, url, JSON.parse(options) as StoreOptions);
const history = new HistoryWriter(historyPath);
const holdings = new Map<string, Witnessed>();
const claims = new Map<string, AbortController>();
const places = new Map<string, LinePlace>();

type Obey = { [N in CommandName]: (args: CommandArguments<N>) => Promise<CommandResult<N>> };

const obey: Obey = {
  claim: ({ request, as, timeout }) => claimFrom(store, request, as, timeout),
  async join({ request, as }) {
    const onProgress = tellProgress(as);
    const place = await able(store.join).call(store, request, { onProgress });
    place.lost.addEventListener("abort", () => {
      say({ event: "lost", as, failure: failureOf(place.lost.reason) });
    });
    places.set(as, place);
    return place.progress;
  },
  take: ({ request, as, timeout }) => {
    const place = joined(as);
    // That it is ready is known once it was granted: until then it may be passed.
    const source = { claim: (_: ClaimRequest, options?: ClaimOptions) => place.take(options) };
    return claimFrom(source, request, as, timeout, false);
  },
  async leave({ as }) {
    await joined(as).leave();
    return null;
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
  thaw: async ({ key, ...options }) => able(store.thaw).call(store, key, options),
  releaseRun: async ({ key, run }) => able(store.releaseRun).call(store, key, run),
  letGo: ({ lease }) => store.release(lease),
  hammer: ({ seed, ...task }) => {
    const { signal } = new AbortController();
    const random = seededRandom(seed);
    return hammer(store, { ...task, history, random, signal });
  },
  together: (task) => takeTogether(store, { ...task, history }),
};

async function claimFrom(
  source: Pick<Store, "claim">,
  request: ClaimRequest,
  as: string,
  timeout: number | null = null,
  watchesLine = true,
): Promise<Granted> {
  const controller = new AbortController();
  claims.set(as, controller);
  const witness = new Witness(source, history, as);
  const witnessed = await witness.claim(as, request, {
    timeout,
    signal: controller.signal,
    onProgress: tellProgress(as),
    watchesLine,
  });
  const { holding } = witnessed;
  holding.lost.addEventListener("abort", () => {
    say({ event: "lost", as, failure: failureOf(holding.lost.reason) });
  });
  holdings.set(as, witnessed);
  return { lease: holding.lease, reclaimed: holding.reclaimed ?? null };
}

function tellProgress(as: string): (progress: Progress) => void {
  return (progress) => say({ event: "progress", as, progress });
}

function joined(as: string): LinePlace {
  const place = places.get(as);
  if (place === undefined) throw new Error(`${as} has no place in line`);
  return place;
}

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
