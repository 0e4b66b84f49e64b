import { expect, test } from "vitest";
import { readSources } from "./helpers/sources.ts";

/**
 * Calls that wait for a timer or a socket, and take a signal that ends the wait. A cancelled job is
 * killed after some ten seconds: a wait without a signal keeps its claim in the line. That a forge is
 * asked with one, the types see to.
 */
const TIMERS = /(?<![\w.#])(?:delay|sleep|once|within|askSocket|fetch)\((?!\))/g;
/** A timer of Node's that a promise waits for. */
const PROMISED = /(?<![\w.#])setTimeout\((?=(?:\w+\.)?resolve\b)/g;
/** Calls to a server of a document store, within its register. */
const SERVERS =
  /(?:server|gateway|link|connections|refs|exchange|http|register|conditions|sessions)\.(?:ask|read|write|query|call|open|post|send|list|look|fetch|check\w*|renew|end|alive|swap|keys|changed|begin)\((?!\))|connection\.(?:call|query)\((?!\))/gi;
/** What carries the signal of the caller. */
const SIGNAL =
  /signal|cancel|closing|options|call\b|calling|post\b|sending|request\b|question|asked\b|manner|wish\b/i;

/** Where waits need no signal, how many they are, and why. */
const WITHOUT: Readonly<Record<string, readonly [count: number, why: string]>> = {
  "cli/run/family.ts": [1, "the command has ended, and its family gets a bounded time"],
  "cli/commands/completion/completion.ts": [1, "the bound itself, of half a second"],
  "cli/run/warden.ts": [2, "it has no other work, and ends with the command's last process"],
  "cli/run/sentinel.ts": [2, "a bounded moment at the end of a command"],
  "keeper/client/release.ts": [
    1,
    "milliseconds, until the keeper's socket is there, for 2 s at most",
  ],
  "keeper/client/tidy-up.ts": [1, "the end of a killed process, for a bounded time"],
  "keeper/client/verify.ts": [1, "a question after the claim; a signal ends its process"],
  "keeper/program/place.ts": [1, "a look at a place: all that happens to the place ends it"],
  "keeper/protocol.ts": [1, "the history, for a report, of a lock that is held"],
  "stores/several.ts": [1, "a release whose server is away, which nobody cancels; for 5 s at most"],
  "stores/tcp/claim.ts": [1, "an answer on a connection that the signal closes"],
  "stores/tcp/holding.ts": [1, "why a lock was lost: the loss is told within that time"],
  "stores/tcp/lookout.ts": [1, "beside a claim, which closes it when it ends"],
  "stores/file/disk/guard.ts": [1, "milliseconds; the loop looks at the signal each time"],
  "stores/file/disk/network.ts": [1, "a step that has begun is finished; it is bounded"],
  "stores/engines/postgres/register.ts": [1, "UNLISTEN, which nobody waits for"],
  "stores/engines/redis/register.ts": [1, "UNSUBSCRIBE, which nobody waits for"],
};

/** The text of a call from its parenthesis to the matching one. */
function argumentsAt(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return text.slice(from, at + 1);
  }
  return text.slice(from);
}

/** Calls among the sources that wait and name no signal. Comments and declarations are left out. */
function unsignalled(): string[] {
  return readSources()
    .filter(({ folder }) => folder !== "server")
    .flatMap(({ path, text }) => {
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) =>
        comment.replace(/[^\n]/g, " "),
      );
      return [TIMERS, PROMISED, SERVERS].flatMap((pattern) =>
        [...code.matchAll(pattern)].flatMap(({ 0: call, index }) => {
          const isDeclared = /(?:function\*?|async)\s+$/.test(code.slice(0, index));
          const given = argumentsAt(code, index + call.length - 1);
          if (isDeclared || SIGNAL.test(given)) return [];
          const line = code.slice(0, index).split("\n").length;
          return [`${path}:${line} ${call}`];
        }),
      );
    });
}

test("waits on timers and servers take the signal of who waits, but for those that are listed", () => {
  const found = Object.groupBy(unsignalled(), (each) => each.split(":")[0] as string);
  const counts = Object.entries(found).map(([path, calls = []]) => [path, calls.length]);
  const listed = Object.entries(WITHOUT).map(([path, [count]]) => [path, count]);
  expect(Object.fromEntries(counts), JSON.stringify(found)).toEqual(Object.fromEntries(listed));
});
