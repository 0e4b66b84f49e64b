import { type GateEvent, readEvent } from "./events.ts";
import { fieldsOf, type GitHub, GitHubTrouble } from "./github.ts";

/** Deliveries may be listed later than they were tried: so far back it is looked again. */
const OVERLAP_MS = 10 * 60_000;
const PAGES_LIMIT = 100;
const EVENT = "deployment_protection_rule";

export interface Missed {
  /** The event is null where its payload is of no use. */
  readonly found: readonly { readonly guid: string; readonly event: GateEvent | null }[];
  /** Everything before was looked at, unless `isCut`: wall clock, milliseconds. */
  readonly until: number;
  /** There were more deliveries than are looked through: older ones were not looked at. */
  readonly isCut: boolean;
}

/**
 * Reads the requests for approval that GitHub could not deliver, the oldest first: it lists every
 * delivery with the answer that it got, and never tries one again by itself. All other events are only
 * reasons to ask, and asking does without them.
 */
export async function readMissed(
  github: GitHub,
  since: number,
  seen: ReadonlySet<string>,
): Promise<Missed> {
  const failed = new Map<string, number>();
  const arrived = new Set<string>();
  const begun = github.now();
  let path: string | null = "/app/hook/deliveries?per_page=100";
  for (let page = 0; path !== null && page < PAGES_LIMIT; page++) {
    const { status, body, next } = await github.askAsApp("GET", path);
    if (status !== 200 || !Array.isArray(body)) throw new GitHubTrouble(`${path}: ${status}`);
    path = next;
    for (const entry of body.map(fieldsOf)) {
      const at = Date.parse(String(entry.delivered_at));
      if (at < since) path = null;
      if (entry.event !== EVENT || typeof entry.guid !== "string") continue;
      const code = Number(entry.status_code);
      if (code >= 200 && code < 300) arrived.add(entry.guid);
      else if (!seen.has(entry.guid)) failed.set(entry.guid, Number(entry.id));
    }
  }
  const isCut = path !== null;
  const found: { guid: string; event: GateEvent | null }[] = [];
  for (const [guid, id] of [...failed].reverse()) {
    if (arrived.has(guid)) continue;
    const { status, body } = await github.askAsApp("GET", `/app/hook/deliveries/${id}`);
    if (status !== 200) throw new GitHubTrouble(`the delivery ${id}: ${status}`);
    found.push({ guid, event: eventOf(fieldsOf(fieldsOf(body).request).payload) });
  }
  return { found, until: Math.max(since, begun - OVERLAP_MS), isCut };
}

function eventOf(payload: unknown): GateEvent | null {
  try {
    return readEvent(EVENT, typeof payload === "string" ? JSON.parse(payload) : payload);
  } catch {
    return null;
  }
}
