import type { CheckOptions } from "../checker.ts";
import type { Event } from "../event.ts";
import { TELL_WITHIN, type Trial } from "./trials.ts";

/**
 * Short histories by hand, with what has to be said of them. One word an event: `claim:a`,
 * `granted:a=7` with its fence, `gone:a=7` for a release that finds its lock gone. The claims a, a1, a2
 * are of one process. `@9` sets the clock in microseconds; `/x` means another key.
 */
const TABLE = `
claim:a granted:a=1 release:a=1 released:a=1 => legal
claim:a gave-up:a claim:b granted:b=1 release:b=1 released:b=1 => legal
claim:a => legal unknown=a
claim:a kill:a => legal
claim:a granted:a=1 => legal unknown=a
claim:a granted:a=1 lost:a => legal
claim:a granted:a=1 release:a=1 => legal
claim:a granted:a=1 kill:a => legal
claim:a granted:a=1 kill:b => legal unknown=a
claim:a granted:a=1 ended:a claim:b granted:b=2 kill:b => overlap unknown=a
# Exclusion.
claim:a claim:b granted:a=1 granted:b=2 kill:a kill:b => overlap
claim:a claim:b granted:a=1 granted:b=2 kill:a kill:b => legal slots=2
claim:a claim:b claim:c granted:a=1 granted:b=2 granted:c=3 kill:a kill:b kill:c => overlap slots=2
claim:a/x claim:b granted:a=1/x granted:b=1 kill:a kill:b => legal
claim:a claim:b granted:a=1 release:a=1 granted:b=2 released:a=1 kill:b => legal
claim:a claim:b granted:a=1 granted:b=2 release:a=1 released:a=1 kill:b => overlap
claim:a claim:b granted:a=1 release:a=1 granted:b=2 unknown:a=1 kill:b => legal
claim:a granted:a=1 claim:b kill:a granted:b=2 kill:b => legal
claim:a granted:a=1 claim:b stop:a granted:b=2 kill:b continue:a lost:a => legal
claim:a granted:a=1 claim:b stop:b granted:b=2 kill:b kill:a => overlap
claim:a granted:a=1 claim:b lost:a granted:b=2 kill:b => legal
claim:a granted:a=1 claim:b granted:b=2 lost:a kill:b => overlap
claim:a granted:a=1 claim:b break:k granted:b=2 kill:b lost:a => legal
claim:a granted:a=1 claim:b break:x granted:b=2 kill:b kill:a => overlap
claim:a claim:b break:k granted:a=1 granted:b=2 kill:b kill:a => overlap
# It held until it released, though it had an excuse.
claim:a granted:a=1 stop:a claim:b granted:b=2 kill:b continue:a release:a=1 released:a=1 => overlap
# A stopped process that lost its lock, and was told of it in either way.
claim:a granted:a=1 stop:a claim:b granted:b=2 kill:b continue:a release:a=1 gone:a=1 => legal
# A killed process that is still seen to act was not dead yet.
claim:a granted:a=1 claim:b kill:a granted:b=2 kill:b release:a=1 => overlap
claim:a claim:b kill:a granted:b=2 granted:a=1 kill:b => overlap
claim:a granted:a=1 claim:b stop:a granted:b=2 kill:b release:a=1 kill:a => legal
# Its grant took effect at some time before it was stopped or killed, if something was free then.
claim:a stop:a granted:a=1 kill:a => legal
claim:b granted:b=1 claim:a stop:a release:b=1 released:b=1 granted:a=2 kill:a => legal
claim:b granted:b=1 claim:a stop:a granted:a=2 release:b=1 released:b=1 kill:a => overlap
claim:b claim:c granted:b=1 granted:c=2 claim:a stop:a granted:a=3 kill:a kill:b kill:c => legal slots=3
claim:b claim:c granted:b=1 granted:c=2 claim:a stop:a granted:a=3 kill:a kill:b kill:c => overlap slots=2
claim:a stop:a claim:b granted:b=2 release:b=2 released:b=2 claim:c granted:c=3 granted:a=4 kill:a kill:c => legal
claim:b granted:b=1 claim:a stop:a release:b=1 claim:c granted:c=2 released:b=1 granted:a=3 kill:a kill:c => legal
# Fences.
claim:a granted:a=2 release:a=2 released:a=2 claim:b granted:b=1 kill:b => fence
claim:a granted:a=2 release:a=2 released:a=2 claim:b granted:b=2 kill:b => fence
claim:b claim:a granted:a=2 release:a=2 released:a=2 granted:b=1 kill:b => overlap
claim:b claim:a stop:b granted:a=2 granted:b=1 kill:a kill:b => legal
claim:a claim:b claim:c granted:c=3 granted:a=2 granted:b=2 kill:a kill:b kill:c => fence slots=3
claim:a granted:a=- release:a=- released:a=- claim:b granted:b=- release:b=- released:b=- => legal
claim:a granted:a=- claim:b granted:b=- kill:a kill:b => overlap
claim:a claim:b granted:b=2 granted:a=1 release:a=1 released:a=1 kill:b => legal slots=2
claim:b granted:b=2 release:b=2 released:b=2 claim:c granted:c=3 release:c=3 released:c=3 claim:a granted:a=1 kill:a => fence
claim:b granted:b=3 release:b=3 released:b=3 claim:c granted:c=4 release:c=4 released:c=4 claim:a granted:a=4 kill:a => fence
# Order of arrival.
claim:a joined:a claim:b granted:a=1 release:a=1 granted:b=2 released:a=1 kill:b => legal
claim:a joined:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => order
claim:a joined:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => legal unfair
claim:a claim:b joined:a granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => legal
claim:a joined:a rejoined:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => legal
claim:a joined:a outage claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => legal
claim:a joined:a stop:a claim:b granted:b=1 release:b=1 released:b=1 continue:a granted:a=2 kill:a => legal
claim:a joined:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 stop:a kill:a => order
claim:a joined:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 outage kill:a => order
claim:a joined:a claim:b granted:a=2 granted:b=1 release:b=1 released:b=1 kill:a => order slots=2
claim:a joined:a joined:a claim:b joined:a granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => order
claim:a joined:a gave-up:a claim:b granted:b=1 kill:b => legal
# Order of arrival over restarts of a server that keeps its line.
claim:a joined:a @500002 restart claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => order carried=1
claim:a joined:a @500001 restart claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => legal carried=0
claim:a joined:a @400000 joined:a @500002 restart claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => order carried=1
claim:a @500002 restart joined:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => legal carried=0
claim:a joined:a @500002 restart rejoined:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => order carried=1
claim:a joined:a @500002 restart rejoined:a restart rejoined:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => order carried=1
claim:a joined:a @500002 restart rejoined:a claim:b granted:a=1 release:a=1 granted:b=2 released:a=1 kill:b => legal carried=1
claim:a joined:a rejoined:a @500002 restart claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => legal carried=0
claim:a joined:a @500002 restart outage claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => legal carried=0
claim:a joined:a @500002 outage restart claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 kill:a => legal carried=0
claim:a joined:a claim:b granted:b=1 @500002 restart release:b=1 released:b=1 granted:a=2 kill:a => order carried=1
claim:a joined:a @500002 restart kill:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 => legal carried=1
claim:a joined:a granted:a=1 @500002 restart release:a=1 released:a=1 => legal carried=0
claim:a granted:a=1 release:a=1 restart gone:a=1 => legal
claim:a granted:a=1 @1000 restart @101000 release:a=1 gone:a=1 => legal
claim:a granted:a=1 @1000 restart @101001 release:a=1 gone:a=1 => robbed
# Ownership, and losses.
claim:a granted:a=1 release:a=1 released:a=2 => stranger
claim:a granted:a=1 release:a=1 gone:a=1 => robbed
claim:a granted:a=1 release:a=1 gone:a=2 => robbed
claim:a granted:a=1 lost:a release:a=1 gone:a=1 => legal
claim:a granted:a=1 release:a=1 outage gone:a=1 => legal
claim:a granted:a=1 @1000 outage @101000 release:a=1 gone:a=1 => legal
claim:a granted:a=1 @1000 outage @101001 release:a=1 gone:a=1 => robbed
claim:a outage granted:a=1 release:a=1 gone:a=1 => robbed
claim:a granted:a=1 release:a=1 unknown:a=1 => legal
claim:a granted:a=1 continue:a release:a=1 gone:a=1 => robbed
claim:a granted:a=1 stop:a @1000 continue:a @101000 lost:a => legal
claim:a granted:a=1 stop:a @1000 continue:a @101001 lost:a => late
claim:a granted:a=1 stop:a @1000 continue:a stop:a @200000 continue:a lost:a => legal
claim:a granted:a=1 @1000 break:k @101000 lost:a => legal
claim:a granted:a=1 @1000 break:k @101001 lost:a => late
claim:a granted:a=1 @1000 break:k @50000 break:k @101001 lost:a => late
claim:a granted:a=1 @1000 break:k @9000 lost:a @200000 lost:a => legal
claim:a granted:a=1 continue:a @200000 lost:a => legal
claim:a granted:a=1 release:a=1 @1000 break:k @200000 lost:a => legal
claim:a granted:a=1 lost:a @1000 break:k @200000 release:a=1 released:a=1 => legal
# What comes late, or twice.
claim:a kill:a ended:a granted:a=1 => nonsense
claim:a granted:a=1 kill:a stop:a => legal
claim:a gave-up:a granted:a=1 => nonsense
claim:a granted:a=1 release:a=1 claim:b granted:b=2 release:a=1 released:a=1 kill:b => legal
claim:d claim:b granted:b=5 release:b=5 released:b=5 claim:c granted:c=6 release:c=6 released:c=6 granted:d=5 kill:d => fence slots=2
claim:b claim:c granted:b=3 granted:c=2 release:b=3 released:b=3 release:c=2 released:c=2 claim:d granted:d=3 kill:d => fence slots=2
claim:a joined:a claim:b granted:a=2 release:a=2 granted:b=2 released:a=2 kill:b => fence
claim:a joined:a kill:a claim:b granted:b=1 release:b=1 released:b=1 granted:a=2 => legal
claim:b granted:b=1 claim:a kill:a granted:a=2 kill:b => overlap
claim:a kill:a granted:a=1 ended:a claim:b granted:b=2 kill:b => legal
# Nonsense.
granted:a=1 => nonsense
claim:a claim:a kill:a => nonsense
claim:a granted:a=1 granted:a=2 kill:a => nonsense grants=1
claim:a granted:a=1 gave-up:a => nonsense unknown=a
claim:a release:a=1 => nonsense unknown=a
claim:a granted:a=1 released:a=1 => nonsense unknown=a
claim:a granted:a=1 release:a=1 released:a=1 lost:a => nonsense
`;

/** The table as trials. */
export function shortTrials(): Trial[] {
  const lines = TABLE.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [history = "", said = ""] = line.split(" => ");
    const [kinds, ...notes] = said.split(" ");
    const noted = (name: string) =>
      notes.find((note) => note.startsWith(`${name}=`))?.slice(name.length + 1);
    const options: CheckOptions = { tellWithin: TELL_WITHIN };
    const unknown = noted("unknown") === undefined ? "" : `${noted("unknown")} has no end`;
    const [grants, carried] = [noted("grants"), noted("carried")];
    return {
      events: eventsOf(history, Number(noted("slots") ?? 1)),
      options: notes.includes("unfair") ? { ...options, fair: false } : options,
      isRight: (verdict) =>
        (verdict.faults.map(({ kind }) => kind).join() || "legal") === kinds &&
        verdict.unknown.join() === unknown &&
        (carried === undefined || verdict.carried === Number(carried)) &&
        (grants === undefined || verdict.grants === Number(grants)),
    };
  });
}

/** A history that is written in words. */
export function eventsOf(history: string, slots = 1): Event[] {
  let at = 0;
  return history.split(" ").flatMap((word) => {
    const {
      name = "",
      id = "",
      fence = "",
      key = "k",
    } = /^(?<name>[a-z@\d-]+)(:(?<id>\w+))?(=(?<fence>[\d-]+))?(\/(?<key>\w+))?$/.exec(word)
      ?.groups ?? {};
    if (name.startsWith("@")) {
      at = Number(name.slice(1)) - 1;
      return [];
    }
    at++;
    if (name === "outage" || name === "restart")
      return { at, process: "network", event: name } as Event;
    if (name === "break") return { at, process: "admin", event: name, key: id } as Event;
    const process = `p${id[0]}`;
    if (["kill", "stop", "continue", "ended"].includes(name))
      return { at, process, event: name } as Event;
    const base = {
      at,
      process,
      key,
      claim: id,
      slots,
      fence: fence === "-" ? null : Number(fence),
    };
    const outcome = { released: "released", gone: "already-gone", unknown: "unknown" }[name];
    if (outcome !== undefined) return { ...base, event: "released", outcome } as Event;
    return { ...base, event: name } as Event;
  });
}
