import { describe, expect, test } from "vitest";
import { cli, startCli, UNTIL_INPUT_ENDS } from "../../../../helpers/cli/cli.ts";
import { hold, store } from "../../../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";

/** A terminal's holder, as people know it; its id would be `pid-28044@vm`. */
const TERMINAL = "\\S+, `\\S+ …`, pid \\d+ on \\S+";

function place() {
  const at = store();
  return { env: { ...at.env, RUNNER_TEMP: temporaryDirectory() } };
}

describe("who has a lock is said in the words of status", () => {
  test("by a release of what others hold, and by verify", async () => {
    const at = place();
    await hold(at);
    const released = await cli(["release", "k"], at);
    expect(released.stderr).toMatch(
      new RegExp(`^holdfast: "k" is held by ${TERMINAL}, not by a keeper of this user`),
    );
    const verified = await cli(["verify", "k", "--fence", "1"], at);
    expect(verified.stderr).toMatch(
      new RegExp(`: it is held by ${TERMINAL} with fence \\d+\\.\\n$`),
    );
  });

  test("by a claim that takes over from the dead", async () => {
    const at = place();
    const dead = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], at);
    await dead.prints(/ready/);
    dead.killGroup("SIGKILL");
    await dead.ended;
    const next = await cli(["run", "k", "--", "true"], at);
    expect(next.stderr).toMatch(/, taken over from pid \d+ on \S+ \(HOLDER_DEAD\)\n$/);
  });

  test("a lost lock is not named twice", async () => {
    const at = place();
    await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    await cli(["break", "k", "--reason", "enough"], at);
    const released = await cli(["release", "k"], at);
    expect(released.stderr).toMatch(
      /^holdfast: "k" was already gone: it was broken by \S+ \(enough\)\.\n$/,
    );
  });
});

describe("how long a claim was ready to wait", () => {
  test("is said as it was asked for, though some of it was used to begin", async () => {
    const at = place();
    await hold(at);
    const [one, two] = await Promise.all([
      cli(["run", "k", "--timeout", "1", "--", "true"], at),
      cli(["run", "k", "--also", "free", "--timeout", "1", "--", "true"], at),
    ]);
    expect(one.stderr).toContain('"k" was not acquired within 1s: ');
    expect(two.stderr).toContain('"k" was not acquired within 1s: ');
    expect(two.stderr).toContain(" The 1s are for both keys. ");
  });
});

test("doctor counts one key and one claim as one", async () => {
  const at = place();
  await hold(at);
  const waiter = startCli(["run", "k", "--", "true"], at);
  await waiter.prints(/1st in line/, "stderr");
  const { stdout } = await cli(["doctor"], at);
  expect(stdout).toContain("nothing is stuck: 1 key in use, 1 claim waiting");
});
