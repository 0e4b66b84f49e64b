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
        file: "src/server/table/claim.ts",
        from: "? this.waiters.find((claim) => !claim.absent || claim.awaited)",
        to: "? this.waiters.find((claim) => !claim.absent)",
      },
      {
        file: "src/server/table/claim.ts",
        from: "isPlain(claim)) return this.awaited === 0;",
        to: "isPlain(claim)) return true;",
      },
    ],
    found: ["order"],
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
