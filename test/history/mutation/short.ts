import type { CheckOptions } from "../checker.ts";
import type { Event } from "../event.ts";
import { TELL_WITHIN, type Trial } from "./trials.ts";

/**
 * Short histories by hand, with what has to be said of them. One word an event: `claim:a`,
 * `granted:a=7` with its fence, `gone:a=7` for a release that finds its lock gone. The claims a, a1, a2
 * are of one process. `claim:a*2^1?` has the weight 2 and the priority 1, and is not ready yet. `@9` sets the clock in microseconds; `/x` means another key.
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
# Weights.
claim:a*2 claim:b granted:a=1 granted:b=2 kill:a kill:b => overlap slots=2
claim:a*2 claim:b granted:a=1 granted:b=2 kill:a kill:b => legal slots=3
claim:a*2 claim:b granted:b=1 release:b=1 granted:a=2 released:b=1 kill:a => legal slots=2
# Priorities: h holds, and one of those that wait is served after it.
claim:h granted:h=1 claim:l joined:l claim:p^1 joined:p release:h=1 released:h=1 granted:l=2 release:l=2 released:l=2 granted:p=3 kill:p => priority
claim:h granted:h=1 claim:l joined:l claim:p^1 joined:p release:h=1 released:h=1 granted:l=2 release:l=2 released:l=2 granted:p=3 kill:p => legal unfair
claim:h granted:h=1 claim:l joined:l claim:p^1 joined:p release:h=1 released:h=1 granted:p=2 release:p=2 released:p=2 granted:l=3 kill:l => legal
claim:h granted:h=1 claim:l^1 joined:l claim:p^1 joined:p release:h=1 released:h=1 granted:l=2 release:l=2 released:l=2 granted:p=3 kill:p => legal
claim:h granted:h=1 claim:l joined:l claim:p^1 release:h=1 joined:p released:h=1 granted:l=2 release:l=2 released:l=2 granted:p=3 kill:p => legal
claim:h granted:h=1 claim:l joined:l claim:p^1 joined:p release:h=1 released:h=1 granted:l=2 release:l=2 released:l=2 gave-up:p => legal
claim:h granted:h=1 claim:l joined:l claim:p^1 joined:p rejoined:p release:h=1 released:h=1 granted:l=2 release:l=2 released:l=2 granted:p=3 kill:p => legal
claim:h granted:h=1 claim:l joined:l claim:p^1 joined:p stop:p release:h=1 released:h=1 granted:l=2 release:l=2 released:l=2 continue:p granted:p=3 kill:p => legal
claim:h granted:h=1 claim:l joined:l claim:p^1 joined:p release:h=1 released:h=1 granted:l=2 release:l=2 released:l=2 granted:p=3 stop:p kill:p => priority
claim:h granted:h=- claim:l joined:l claim:p^1 joined:p release:h=- released:h=- granted:l=- release:l=- released:l=- granted:p=- kill:p => legal
claim:l joined:l claim:a granted:a=- release:a=- released:a=- granted:l=2 kill:l => legal
claim:l claim:p^1 joined:p claim:a^2 granted:a=1 granted:l=2 granted:p=3 kill:a kill:l kill:p => priority slots=3
# One that is heavy is in the way of lighter ones, whatever is free.
claim:h granted:h=1 claim:l*2 joined:l claim:p joined:p granted:p=2 release:h=1 released:h=1 release:p=2 released:p=2 granted:l=3 kill:l => order slots=2
claim:h granted:h=1 claim:l joined:l claim:p*2^1 joined:p release:h=1 granted:l=2 released:h=1 release:l=2 released:l=2 granted:p=3 kill:p => legal slots=2
claim:h*2 granted:h=1 claim:l joined:l claim:p*2^1 joined:p release:h=1 granted:l=2 released:h=1 release:l=2 released:l=2 granted:p=3 kill:p => priority slots=2
claim:h granted:h=1 claim:i granted:i=2 claim:l joined:l claim:p*2^1 joined:p release:h=1 granted:l=3 released:h=1 release:i=2 released:i=2 release:l=3 released:l=3 granted:p=4 kill:p => priority slots=2
# Two that fit beside each other are served in any order, where the store says so.
claim:h*2 granted:h=1 claim:l joined:l claim:p joined:p release:h=1 released:h=1 granted:p=2 granted:l=3 kill:p kill:l => order slots=2
claim:h*2 granted:h=1 claim:l joined:l claim:p joined:p release:h=1 released:h=1 granted:p=2 granted:l=3 kill:p kill:l => legal slots=2 together
claim:h*2 granted:h=1 claim:l*2 joined:l claim:p joined:p release:h=1 released:h=1 granted:p=2 release:p=2 released:p=2 granted:l=3 kill:l => order slots=2 together
claim:i granted:i=1 claim:h granted:h=2 claim:l joined:l claim:p joined:p release:h=2 released:h=2 granted:p=3 release:p=3 released:p=3 granted:l=4 kill:i kill:l => order slots=2 together
claim:i granted:i=1 claim:h granted:h=2 claim:l joined:l claim:p joined:p release:h=2 released:h=2 release:i=1 granted:p=3 released:i=1 granted:l=4 kill:p kill:l => legal slots=2 together
# A claim that is not ready is passed, and keeps its place.
claim:l? joined:l claim:p granted:p=1 release:p=1 released:p=1 ready:l granted:l=2 kill:l => legal
claim:l? joined:l ready:l claim:p granted:p=1 release:p=1 released:p=1 granted:l=2 kill:l => legal
claim:l? joined:l ready:l stands:l claim:p granted:p=1 release:p=1 released:p=1 granted:l=2 kill:l => order
claim:l? ready:l stands:l claim:p granted:p=1 release:p=1 released:p=1 granted:l=2 kill:l => order
claim:l? ready:l joined:l claim:p granted:p=1 release:p=1 released:p=1 granted:l=2 kill:l => order
claim:h granted:h=1 claim:l? joined:l claim:p joined:p ready:l stands:l release:h=1 granted:p=2 released:h=1 release:p=2 released:p=2 granted:l=3 kill:l => order
claim:h granted:h=1 claim:l? joined:l claim:p joined:p ready:l release:h=1 stands:l granted:p=2 released:h=1 release:p=2 released:p=2 granted:l=3 kill:l => legal
claim:h granted:h=1 claim:l? joined:l claim:p joined:p ready:l stands:l release:h=1 stands:l granted:p=2 released:h=1 release:p=2 released:p=2 granted:l=3 kill:l => order
claim:l? joined:l claim:p ready:l granted:p=2 release:p=2 released:p=2 granted:l=1 kill:l => overlap
claim:l? joined:l claim:p granted:p=2 release:p=2 released:p=2 ready:l granted:l=1 kill:l => fence
claim:l? ready:l claim:p granted:p=2 release:p=2 released:p=2 ready:l granted:l=1 kill:l => legal slots=2
claim:l? joined:l granted:l=1 kill:l => nonsense
claim:p granted:p=2 release:p=2 released:p=2 claim:l? joined:l granted:l=1 kill:l => nonsense,fence
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

/**
 * How claims that come later are served before w, one after the other, each of them in line before
 * the one before it ends. `last` stands for what happens before the last of them ends.
 */
function passed(times: number, last = "", first = ""): string {
  let history = `claim:h granted:h=1 ${first} claim:w joined:w claim:x1^1 joined:x1`;
  history += " release:h=1 released:h=1";
  for (let each = 1; each <= times; each++) {
    const [own, next] = [`x${each}`, `x${each + 1}`];
    const comes = each < times ? `claim:${next}^1 joined:${next}` : last;
    const fence = each + 1;
    history += ` granted:${own}=${fence} ${comes} release:${own}=${fence} released:${own}=${fence}`;
  }
  return history.replace(/ +/g, " ");
}

/** After w was served, past x99 that waited. */
const PAST = "granted:w=50 release:w=50 released:w=50 granted:x99=51 kill:x";
const COMES = "claim:x99^1 joined:x99";

/** How often a claim is passed. */
const PASSES = [
  `${passed(10)} granted:w=50 kill:w => legal`,
  `${passed(11)} granted:w=50 kill:w => starved`,
  `${passed(11)} granted:w=50 kill:w => legal unfair`,
  `${passed(12)} granted:w=50 kill:w => starved`,
  `${passed(11)} gave-up:w => legal`,
  // Whoever was passed as often as may be goes first, and not before.
  `${passed(10, COMES)} ${PAST} => legal`,
  `${passed(9, COMES)} ${PAST} => priority`,
  // Who came before it does not pass it.
  `${passed(9, COMES, "claim:v^1? joined:v")} ready:v granted:v=40 release:v=40 released:v=40 ${PAST} => priority`,
  // Nobody knows whether one that was killed in line was served.
  `${passed(9, `claim:k^1 joined:k kill:k ${COMES}`)} ended:k ${PAST} => legal`,
  `${passed(9, COMES, "claim:k^1 joined:k kill:k ended:k")} ${PAST} => priority`,
  `${passed(9, COMES, "claim:k^1 joined:k")} kill:k ended:k ${PAST} => priority`,
  // Of one that gave up before, it does not count how often it was passed.
  `${passed(10, `claim:u joined:u ${COMES} gave-up:w`)} ${PAST.replaceAll("w", "u")} => priority`,
  // One of its priority was passed so often, and it came before that one.
  `claim:e? joined:e ${passed(10, COMES)} ready:e granted:e=40 release:e=40 released:e=40 ${PAST} => legal`,
];

/** The table as trials. */
export function shortTrials(): Trial[] {
  const isHistory = (line: string) => line !== "" && !line.startsWith("#");
  const lines = [...TABLE.split("\n"), ...PASSES].filter(isHistory);
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
      options: {
        ...options,
        fair: !notes.includes("unfair"),
        together: notes.includes("together"),
      },
      isRight: (verdict) =>
        (verdict.faults.map(({ kind }) => kind).join() || "legal") === kinds &&
        verdict.unknown.join() === unknown &&
        (carried === undefined || verdict.carried === Number(carried)) &&
        (grants === undefined || verdict.grants === Number(grants)),
    };
  });
}

const WORD =
  /^(?<name>[a-z@\d-]+)(:(?<id>\w+))?(\*(?<weight>\d+))?(\^(?<priority>-?\d+))?(?<early>\?)?(=(?<fence>[\d-]+))?(\/(?<key>\w+))?$/;

/** A history that is written in words. */
export function eventsOf(history: string, slots = 1): Event[] {
  let at = 0;
  return history.split(" ").flatMap((word) => {
    const {
      name = "",
      id = "",
      weight,
      priority,
      early,
      fence = "",
      key = "k",
    } = WORD.exec(word)?.groups ?? {};
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
    if (name === "claim") {
      const share = {
        ...(weight === undefined ? {} : { weight: Number(weight) }),
        ...(priority === undefined ? {} : { priority: Number(priority) }),
        ...(early === undefined ? {} : { ready: false }),
      };
      return { ...base, event: name, ...share } as Event;
    }
    if (outcome !== undefined) return { ...base, event: "released", outcome } as Event;
    return { ...base, event: name } as Event;
  });
}
