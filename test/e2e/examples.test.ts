import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/index.ts";

const PROGRAM = fileURLToPath(new URL("../../examples/deploy.ts", import.meta.url));
const KEY = "production";

/** A run of the example, as a user would start it. */
class Deployment {
  readonly #child: ChildProcess;
  output = "";

  constructor(directory: string) {
    this.#child = spawn(process.execPath, [PROGRAM, directory, KEY], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (data: Buffer) => {
        this.output += data.toString("utf8");
        this.#child.emit("said");
      });
    }
  }

  async said(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      if (this.#child.exitCode !== null) throw new Error(`it ended with: ${this.output}`);
      await Promise.race([once(this.#child, "said"), once(this.#child, "close")]);
    }
  }

  interrupt(): void {
    this.#child.kill("SIGINT");
  }

  async end(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await once(this.#child, "close");
    }
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.end();
  }
}

let directory: string;
let deployments: Deployment[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-example-"));
  deployments = [];
});

afterEach(async () => {
  await Promise.all(deployments.map((deployment) => deployment.kill()));
  rmSync(directory, { recursive: true, force: true });
});

function deploy(): Deployment {
  const deployment = new Deployment(directory);
  deployments.push(deployment);
  return deployment;
}

async function somebodyElse() {
  const store = await openStore(directory);
  const owner = { id: "somebody-else", metadata: {} };
  return { store, holding: await store.claim({ key: KEY, owner }) };
}

describe("the example of the library", () => {
  it("deploys under the lock, hands its fence on, and lets go", async () => {
    const deployment = deploy();
    expect(await deployment.end(), deployment.output).toBe(0);
    const fence = /holding production after .*, fence (\d{16})/.exec(deployment.output)?.[1];
    for (const step of ["upload", "migrate", "switch"]) {
      expect(deployment.output).toContain(`${step} with fence ${fence}`);
    }
    expect(deployment.output).toMatch(/deployed\nlock released\n$/);
  });

  it("waits for whoever holds the lock, and says who that is", async () => {
    const { store, holding } = await somebodyElse();
    const deployment = deploy();
    await deployment.said("waiting at place 1, held by somebody-else");
    expect(deployment.output).not.toContain("upload");
    await holding.release();
    expect(await deployment.end(), deployment.output).toBe(0);
    expect(deployment.output).toContain("deployed");
    await store.close();
  });

  it("stops when its lock is broken, and says so", async () => {
    const deployment = deploy();
    await deployment.said("upload");
    const store = await openStore(directory);
    await store.break(KEY, { reason: "a test", owner: "tester" });
    await store.close();
    expect(await deployment.end()).toBe(1);
    expect(deployment.output).toContain("LOCK_LOST");
    expect(deployment.output).toContain("lock already-gone");
    expect(deployment.output).not.toContain("deployed");
  });

  it("leaves the line on Ctrl-C", async () => {
    const { store, holding } = await somebodyElse();
    const deployment = deploy();
    await deployment.said("held by somebody-else");
    deployment.interrupt();
    expect(await deployment.end()).toBe(1);
    expect(deployment.output).toContain("ABORTED");
    expect((await store.inspect(KEY)).waiting).toBe(0);
    await holding.release();
    await store.close();
  });
});
