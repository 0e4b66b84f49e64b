import { expect, it } from "vitest";
import { readMissed } from "../../../../src/server/gate/deliveries.ts";
import type { GitHub } from "../../../../src/server/gate/github.ts";

const NONE: ReadonlySet<string> = new Set();

/** A GitHub that lists pages of one delivery each, all of the present, and then none. */
function listing(pages: number): { github: GitHub; asked: string[] } {
  const asked: string[] = [];
  const github = {
    now: () => 1_000_000_000,
    async askAsApp(_: string, path: string) {
      asked.push(path);
      const entry = {
        id: asked.length,
        guid: `guid-${asked.length}`,
        event: "workflow_job",
        delivered_at: new Date(1_000_000_000).toISOString(),
        status_code: 200,
      };
      const next = asked.length < pages ? `/app/hook/deliveries?cursor=${asked.length}` : null;
      return { status: 200, body: [entry], next };
    },
  };
  return { github: github as unknown as GitHub, asked };
}

it("looks through a hundred pages, and says when there were more", async () => {
  const few = listing(100);
  expect(await readMissed(few.github, 0, NONE)).toMatchObject({ found: [], isCut: false });
  const many = listing(101);
  expect(await readMissed(many.github, 0, NONE)).toMatchObject({ found: [], isCut: true });
  expect([few.asked.length, many.asked.length]).toEqual([100, 100]);
});

it("goes no further back than where it looked last", async () => {
  const { github, asked } = listing(5);
  const missed = await readMissed(github, 1_000_000_001, NONE);
  expect([missed.isCut, asked.length, missed.until]).toEqual([false, 1, 1_000_000_001]);
});
