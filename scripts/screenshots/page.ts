/**
 * The server's page after a morning of deployments. The morning takes no time, since the lock table
 * goes by a clock that is set by hand.
 */

import type { Page } from "playwright-core";
import type { Clock } from "../../src/lock/time.ts";
import { Admission, admissionLimits } from "../../src/server/admission.ts";
import { openHttpDoor } from "../../src/server/http/door.ts";
import { createPanel } from "../../src/server/http/panel/panel.ts";
import { createLogger } from "../../src/server/log.ts";
import { History } from "../../src/server/memory/history.ts";
import { createKeeping } from "../../src/server/memory/keeping.ts";
import { NO_STORAGE } from "../../src/server/storage/none.ts";
import type { Claim, Party } from "../../src/server/table/claim.ts";
import { together } from "../../src/server/table/observers.ts";
import { LockTable } from "../../src/server/table/table.ts";
import { encodeWireKey } from "../../src/wire/key.ts";
import { createTokenMaker } from "../../src/wire/token.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Nobody renews while the hand of the clock is turned. */
const LONG_LEASE = 600 * MINUTE;
const LEASE = 30 * SECOND;

/** How far the table's clock is behind: the morning begins five hours ago. */
let behind = 300 * MINUTE;
const clock: Clock = {
  now: () => Date.now() - behind,
  monotonic: () => performance.now() - behind,
};

const history = new History();
const panel = createPanel({ clock, version: "1.0.0" });
const table = new LockTable({
  clock,
  makeToken: createTokenMaker(),
  maxLocks: 0,
  maxWaiters: 0,
  observer: together([createKeeping(NO_STORAGE, history, clock), ...panel.observers]),
});
let run = 98_710;
let runNumber = 312;

function party(job: string, note: string | null, actor: string): Party {
  run += 3;
  runNumber += 1;
  const party = table.admit({ granted() {}, ended() {} });
  const metadata = {
    run_url: `https://github.com/acme/shop/actions/runs/${run}`,
    run_number: String(runNumber),
    run_id: String(run),
    run_attempt: "1",
    job,
    hostname: `runner-${run % 4}`,
    process_id: 4_000 + (run % 997),
    ci_system: "github",
    repository: "acme/shop",
    workflow: job === "deploy" ? "Release" : "Nightly",
    ref: "refs/heads/main",
    actor,
  };
  party.introduction = { owner: { id: `ci-github-${run}-1-${job}`, metadata }, note };
  return party;
}

function freeze(key: string, by: string, reason: string): void {
  const since = new Date(clock.now()).toISOString();
  table.freeze(encodeWireKey(key), { by, reason, since, until: null });
}

function pass(milliseconds: number): void {
  behind -= milliseconds;
}

function take(key: string, who: Party, slots = 1): Claim {
  const claim = table.claim(who, encodeWireKey(key), slots, LONG_LEASE);
  if (typeof claim === "string") throw new Error(`${key} was refused: ${claim}`);
  return claim;
}

// Minutes that deployments to production took this morning; one of them was broken. The next is often
// in line before the last is done.
const minutes = [4, 5, 4, 6, 4, 5, 11, 4, 5, 7, 4, 4, 6, 5, 14, 5, 4, 6, 5, 4, 5, 8, 4, 5, 4, 6, 5];
let deployment = take("production", party("deploy", null, "maria"));
for (const [index, minute] of minutes.entries()) {
  const left = ((index * 53) % 100) * SECOND;
  pass(minute * MINUTE - left);
  const next = take("production", party("deploy", null, "tom"));
  pass(left + ((index * 17) % 40) * SECOND);
  if (index === 21) {
    table.break("production", null, { reason: "the runner was unplugged", by: "maria" });
  } else table.release("production", deployment.token);
  pass(((index * 29) % 150) * SECOND);
  deployment = next;
}
pass(5 * MINUTE);
table.release("production", deployment.token);
freeze("production", "maria", "the shop's sale begins");
pass(35 * MINUTE);
table.thaw("production", "maria");

// Keys that are free now.
for (const [key, job, minute] of [
  ["docs-site", "publish", 2],
  ["database-backup", "backup", 23],
] as const) {
  const claim = take(key, party(job, null, "maria"));
  pass(minute * MINUTE);
  table.release(key, claim.token);
}

// What is going on now, the oldest first.
const scenes: [
  minutesAgo: number,
  key: string,
  job: string,
  note: string | null,
  slots?: number,
][] = [
  [61, "terraform: core network", "apply", "3 to add, 1 to change"],
  [12, "database-migrations", "migrate", "orders: add column"],
  [11.4, "production", "deploy", "v4.12.0: checkout rewrite"],
  [4.5, "staging/eu-west", "deploy", "feature/new-search"],
  [4, "production", "deploy", "v4.12.1: fix basket total"],
  [2.8, "browser-farm", "e2e", null, 4],
  [2.5, "browser-farm", "e2e", null, 4],
  [1.2, "production", "deploy", "v4.13.0"],
  [0.9, "browser-farm", "e2e", null, 4],
  [0.8, "staging/us-east", "deploy", "feature/new-search"],
];
behind = 95 * MINUTE;
freeze("billing", "tom", "incident 42, ask ops");
for (const [index, [minutesAgo, key, job, note, slots]] of scenes.entries()) {
  behind = minutesAgo * MINUTE;
  take(key, party(job, note, index % 2 === 0 ? "maria" : "tom"), slots);
}
// All were renewed a moment ago, as keepers do, but for one whose machine is busy.
for (const entry of table.busyEntries()) {
  behind = entry.key === "database-migrations" ? LEASE - 2 * SECOND : 0;
  for (const claim of entry.holders) table.renew(claim.party, entry.key, claim.token, LEASE);
}
behind = 0;

const log = createLogger({ level: "warn", format: "text", now: clock.now, output: console.error });
const admission = new Admission(admissionLimits(1_024, false), log);
const door = await openHttpDoor(
  {
    host: "127.0.0.1",
    port: 0,
    tls: null,
    secret: null,
    maxConnections: 0,
    readTimeout: 5_000,
    writeTimeout: 5_000,
    maxBody: 0,
    maxSessions: 0,
  },
  {
    table,
    clock,
    log,
    storage: NO_STORAGE,
    history,
    admission,
    routes: (http) =>
      panel.routes({
        table,
        log,
        history,
        admission,
        storage: NO_STORAGE,
        trouble: () => null,
        tcpConnections: () => 0,
        httpConnections: () => http.connections,
        sessions: () => http.sessions,
      }),
  },
);

/** Shows the page, with one key opened, in a tab of a browser. */
export async function showPage(tab: Page): Promise<void> {
  await tab.setViewportSize({ width: 1_240, height: 672 });
  await tab.goto(`http://127.0.0.1:${door.port}/#production`);
  await tab.locator("#history .bar").first().waitFor();
  await tab.locator("#recent").waitFor();
  await tab.evaluate("document.activeElement.blur()");
}

/** Ends the server behind the page. */
export async function closePage(): Promise<void> {
  panel.close();
  const drained = door.drain();
  door.cutOff();
  await drained;
}
