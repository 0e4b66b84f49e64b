import type { Change } from "../museum/exhibits.ts";

/** Something wrong on purpose, and how the simulation has to find it. */
export interface Mutant {
  readonly name: string;
  readonly world: "server" | "document";
  readonly changes: readonly Change[];
  /** What its fault begins with. */
  readonly found: readonly string[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "the server forgets after a restart which keys are reserved",
    world: "server",
    changes: [
      {
        file: "src/server/memory/restore.ts",
        from: "for (const lease of found.leases) {",
        to: "for (const lease of found.leases.slice(found.leases.length)) {",
      },
    ],
    found: ["overlap", "robbed", "deceived"],
  },
  {
    name: "the server forgets after a restart which fences it gave",
    world: "server",
    changes: [
      {
        file: "src/server/serve.ts",
        from: "...(found.lastFence === null ? {} : { lastFence: found.lastFence }),",
        to: "",
      },
    ],
    found: ["fence"],
  },
  {
    name: "a holder that gets no answer goes on until after its lease",
    world: "server",
    changes: [
      {
        file: "src/stores/remote/holding.ts",
        from: "} else if (now >= this.clock.giveUpAt) {",
        to: "} else if (now >= this.clock.endsAt + 5_000) {",
      },
    ],
    found: ["overlap", "deceived"],
  },
  {
    name: "a holder that was stopped goes on after its lease, without a question",
    world: "server",
    changes: [
      {
        file: "src/stores/remote/holding.ts",
        from: "    const now = performance.now();\n    if (now >= this.#boundAt) {",
        to: "    const now = performance.now();\n    if (now >= this.clock.endsAt) return;\n    if (now >= this.#boundAt) {",
      },
    ],
    found: ["overlap", "deceived"],
  },
  {
    name: "a grant is told over TCP before it is on the disk",
    world: "server",
    changes: [
      {
        file: "src/server/tcp/connection.ts",
        from: "this.#outbox.flush(this.party.isKept ? this.#door.settled() : null);",
        to: "this.#outbox.flush(null);",
      },
    ],
    found: ["overlap", "robbed", "deceived", "fence"],
  },
  {
    name: "the server forgets after a restart who waited",
    world: "server",
    changes: [
      {
        file: "src/server/memory/restore.ts",
        from: "for (const place of found.line) {",
        to: "for (const place of found.line.slice(found.line.length)) {",
      },
    ],
    found: ["order"],
  },
  {
    name: "after a restart whoever is back first passes those who are on their way",
    world: "server",
    changes: [
      {
        file: "src/server/table/line.ts",
        from: "this.find((claim) => !claim.absent || claim.awaited)",
        to: "this.find((claim) => !claim.absent)",
      },
      {
        file: "src/server/table/claim.ts",
        from: "this.awaited > 0 && isPlain(claim);",
        to: "false;",
      },
    ],
    found: ["order"],
  },
  {
    name: "a lighter claim that fits enters past a heavy one",
    world: "server",
    changes: [
      {
        file: "src/server/table/line.ts",
        from: "nextServed(this);",
        to: "this.find((claim) => claim.ready && claim.weight <= claim.entry.free);",
      },
    ],
    found: ["order", "priority"],
  },
  {
    name: "a heavy holder counts as a light one",
    world: "server",
    changes: [
      {
        file: "src/server/table/claim.ts",
        from: "this.#taken += claim.weight;",
        to: "this.#taken += 1;",
      },
    ],
    found: ["overlap", "deceived"],
  },
  {
    name: "the server forgets after a restart how heavy a claim is",
    world: "server",
    changes: [
      {
        file: "src/server/storage/ledger.ts",
        from: "weight: Number(row.weight),",
        to: "weight: 1,",
      },
    ],
    found: ["overlap", "deceived", "failure"],
  },
  {
    name: "the lowest priority is served first",
    world: "server",
    changes: [
      {
        file: "src/lock/admission.ts",
        from: "priority > highest.priority",
        to: "priority < highest.priority",
      },
    ],
    found: ["priority"],
  },
  {
    name: "a lost answer of a swap is taken for a swap that stands",
    world: "document",
    changes: [
      {
        file: "src/stores/document/protocol/swap.ts",
        from: "return remembers(found.document, next.nonce) ? found : null;",
        to: "return { ...found, document: written.document };",
      },
    ],
    found: ["overlap", "robbed", "deceived", "fence", "failure"],
  },
  {
    name: "a claim that is passed does not count it",
    world: "document",
    changes: [
      {
        file: "src/stores/document/operations/line.ts",
        from: "passed: Math.min((waiter.passed ?? 0) + 1, PASSES_LIMIT)",
        to: "passed: Math.min(waiter.passed ?? 0, PASSES_LIMIT)",
      },
    ],
    found: ["failure"],
  },
  {
    name: "a release gives the lock to the first in line, whatever the rule says",
    world: "document",
    changes: [
      {
        file: "src/stores/document/operations/grant.ts",
        from: "free === 0 ? null : nextOf(next.line)",
        to: "free === 0 ? null : (nextOf(next.line.slice(0, 1)) ?? next.line[0] ?? null)",
      },
    ],
    found: ["failure"],
  },
  {
    name: "a holder counts as one slot, whatever its weight",
    world: "document",
    changes: [
      {
        file: "src/stores/document/document.ts",
        from: "Math.max(0, free - slotsOf(holder).length)",
        to: "Math.max(0, free - Math.min(1, slotsOf(holder).length))",
      },
    ],
    found: ["failure", "overlap"],
  },
  {
    name: "a conflict is answered by writing over what is there",
    world: "document",
    changes: [
      {
        file: "src/stores/document/register-world.ts",
        from: "return await this.#documents.swap(key, version, next, options);",
        to: "const blind = await this.#documents.read(key, { ...call, strong: true });\n          return await this.#documents.swap(key, blind.version, next, { ...options, needs: [] });",
      },
    ],
    found: ["overlap", "robbed", "deceived", "fence", "bound"],
  },
  {
    name: "a holder whose session was dead goes on when it lives again",
    world: "document",
    changes: [
      {
        file: "src/stores/document/holding/holding.ts",
        from: "} else if (performance.now() >= this.#clock.giveUpAt && !(await this.#showsLife())) {",
        to: "} else if (performance.now() >= this.#clock.giveUpAt + 1e9) {",
      },
    ],
    found: ["overlap", "deceived"],
  },
  {
    name: "whether a time is over is judged by the machine's own wall clock",
    world: "document",
    changes: [
      {
        file: "src/stores/document/document.ts",
        from: 'const left = Date.parse(time ?? "") - now;',
        to: 'const left = Date.parse(time ?? "") - Date.now();',
      },
    ],
    found: ["bound", "overlap"],
  },
  {
    name: "ends in time are written by the machine's own wall clock, and believed",
    world: "document",
    changes: [
      {
        file: "src/stores/document/register-world.ts",
        from: "return now === null ? { now: clock.now(), shared: false } : { now, shared: true };",
        to: "return { now: clock.now(), shared: now === null || now > 0 };",
      },
    ],
    found: ["bound", "overlap"],
  },
  {
    name: "a claim of a run counts on its lock for a minute more",
    world: "document",
    changes: [
      {
        file: "src/stores/document/holding/clock.ts",
        from: "return end - Math.min(EXPIRY_MARGIN_MS, ttl * EXPIRY_MARGIN);",
        to: "return end + 70_000;",
      },
    ],
    found: ["overlap", "deceived"],
  },
  {
    name: "a swap that was refused is tried again as it was, with its times",
    world: "document",
    changes: [
      {
        file: "src/stores/document/register-world.ts",
        from: "        if (once !== undefined) return once;\n",
        to: "",
      },
    ],
    found: ["bound"],
  },
];
