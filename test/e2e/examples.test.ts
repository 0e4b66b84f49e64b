import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/index.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { type Running, start } from "../helpers/processes.ts";

const program = (name: string) =>
  fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url));
const KEY = "production";

let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
});

/** A run of the example, as a user would start it. */
function deploy(): Running {
  return start(process.execPath, [program("deploy"), directory, KEY]);
}

/** The one that stands in line while it builds: for as long as the test wants. */
function inLine(milliseconds: number): Running {
  const env = { ...process.env, STEP_MS: String(milliseconds) };
  return start(process.execPath, [program("in-line"), directory, KEY], { env });
}

async function somebodyElse() {
  const store = await openStore(directory);
  const owner = { id: "somebody-else", metadata: {} };
  return { store, holding: await store.claim({ key: KEY, owner }) };
}

describe("the example of the library", () => {
  it("deploys under the lock, hands its fence on, and releases", async () => {
    const { code, stdout, stderr } = await deploy().ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const fence = /holding production after .*, fence (\d{16})/.exec(stdout)?.[1];
    for (const step of ["upload", "migrate", "switch"]) {
      expect(stdout).toContain(`${step} with fence ${fence}`);
    }
    expect(stdout).toMatch(/deployed\nlock released\n$/);
  });

  it("waits for the holder of the lock, and says who that is", async () => {
    const { store, holding } = await somebodyElse();
    const deployment = deploy();
    await deployment.prints(/waiting at place 1, held by somebody-else/);
    expect(deployment.stdout()).not.toContain("upload");
    await holding.release();
    const { code, stdout, stderr } = await deployment.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("deployed");
    await store.close();
  });

  it("stops when its lock is broken, and says so", async () => {
    const deployment = deploy();
    await deployment.prints(/upload/);
    // Its work takes less than a second, in which a busy machine may not get as far as the break.
    deployment.kill("SIGSTOP");
    const store = await openStore(directory);
    await store.break(KEY, { reason: "a test", owner: "tester" });
    await store.close();
    deployment.kill("SIGCONT");
    const { code, stdout, stderr } = await deployment.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("LOCK_LOST");
    expect(stdout).toContain("lock already-gone");
    expect(stdout).not.toContain("deployed");
  });

  it("leaves the line on Ctrl-C", async () => {
    const { store, holding } = await somebodyElse();
    const deployment = deploy();
    await deployment.prints(/held by somebody-else/);
    deployment.kill("SIGINT");
    const { code, stderr } = await deployment.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("ABORTED");
    expect((await store.inspect(KEY)).waiting).toBe(0);
    await holding.release();
    await store.close();
  });
});

describe("the example of a place in line", () => {
  it("builds while it stands in line, is before those that came later, and deploys", async () => {
    const { store, holding } = await somebodyElse();
    const deployment = inLine(300);
    await deployment.prints(/in line for production at place 1/);
    const later = store.claim({ key: KEY, owner: { id: "later", metadata: {} } });
    await deployment.prints(/build is done/);
    await expect
      .poll(async () => (await store.inspect(KEY)).waiters)
      .toMatchObject([{ ready: true }, { owner: "later" }]);
    expect(deployment.stdout()).not.toContain("holding");
    await holding.release();
    const { code, stdout, stderr } = await deployment.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/deploy is done\nlock released\n$/);
    await (await later).release();
    await store.close();
  });

  it("keeps nobody out while it builds, and leaves the line on Ctrl-C", async () => {
    const deployment = inLine(600_000);
    await deployment.prints(/build begins/);
    const { store, holding } = await somebodyElse();
    expect(await store.inspect(KEY)).toMatchObject({ waiters: [{ ready: false }] });
    await holding.release();
    deployment.kill("SIGINT");
    const { code, stdout } = await deployment.ended;
    expect(code).toBe(1);
    expect(stdout).not.toContain("holding");
    expect(await store.inspect(KEY)).toMatchObject({ holders: [], waiting: 0 });
    await store.close();
  });
});
