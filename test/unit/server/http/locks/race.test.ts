import { expect, it } from "vitest";
import { openDoor } from "../../../../helpers/server/http-door.ts";
import { startHttp } from "../../../../helpers/server/http-server.ts";

const SESSIONS = 8;
const ROUNDS = 1_000;

it(`${SESSIONS} sessions race for a lock ${ROUNDS} times: exactly one wins each time`, async () => {
  const { session } = await startHttp();
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => session()));
  let lastFence = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const answers = await Promise.all(sessions.map((one) => one.acquire("/k")));
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(winners).toHaveLength(1);
    const winner = winners[0] as number;
    const { fence, sessionId } = answers[winner]?.json ?? {};
    expect(fence).toBeGreaterThan(lastFence);
    lastFence = fence;
    for (const [index, { status, json }] of answers.entries()) {
      if (index === winner) continue;
      expect(status).toBe(423);
      expect(json.lockedBy).toBe(sessionId);
    }
    expect((await sessions[winner]?.release("/k"))?.status).toBe(200);
  }
});

it("sessions that wait, hang up, ask again and end never hold a lock two at a time", async () => {
  const { session, table } = await openDoor();
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => session()));
  let inside = 0;
  let entered = 0;
  async function worker(index: number): Promise<void> {
    let one = sessions[index] as (typeof sessions)[number];
    for (let round = 0; round < 40; round += 1) {
      const impatience = new AbortController();
      if (round % 5 === index % 5) setTimeout(() => impatience.abort(), 1 + (round % 7));
      const ask = one.ask(`/k?lock=acquire&wait=${round % 3 === 0 ? 0.05 : 30}`, {
        signal: impatience.signal,
      });
      const answer = await ask.catch(() => null);
      if (answer === null || answer.status !== 200) {
        if (round % 4 !== 0) continue;
        await one.remove("/auth/session");
        one = await session();
        continue;
      }
      inside += 1;
      entered += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      await (round % 2 === 0 ? one.release("/k") : one.put("/k", "x"));
    }
    await one.remove("/auth/session");
  }
  await Promise.all(sessions.map((_, index) => worker(index)));
  expect(entered).toBeGreaterThan(SESSIONS);
  expect([table.held, table.waiting]).toEqual([0, 0]);
});
