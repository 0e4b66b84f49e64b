import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isContainer } from "../../../src/ci/here.ts";
import { here, type Identity, identify } from "../../../src/ci/index.ts";
import { checkMetadata, parseOwnerId } from "../../../src/lock/owner.ts";
import { testWhere } from "../../helpers/platform.ts";
import { RECORDED, type Recorded } from "./recorded.ts";

const run = promisify(execFile);
const INDEX = new URL("../../../src/ci/index.ts", import.meta.url).href;

interface Answer {
  readonly pid: number;
  readonly identity: Identity;
}

/**
 * Asks a process of its own who it is, with these variables and no others. It changes its user only
 * after it has loaded the code: the checkout may lie where that user cannot read.
 */
async function ask(env: Record<string, string>, uid?: number): Promise<Answer> {
  const program = `
    const { here, identify } = await import(${JSON.stringify(INDEX)});
    ${uid === undefined ? "" : `process.setuid(${uid});`}
    console.log(JSON.stringify({ pid: process.pid, identity: identify(here()) }));`;
  const argv = ["--input-type=module", "--eval", program];
  const { stdout } = await run(process.execPath, argv, { env });
  return JSON.parse(stdout) as Answer;
}

test("this process is known by its host and its pid", () => {
  const surroundings = here();
  expect(surroundings.pid).toBe(process.pid);
  expect(surroundings.hostname).toBe(hostname());
  expect(surroundings.user).not.toBe("");
  const { owner } = identify(surroundings);
  parseOwnerId(owner.id);
  checkMetadata(owner.metadata);
});

describe("a process of its own", () => {
  test("outside CI is its pid on this host", async () => {
    const { pid, identity } = await ask({});
    expect(identity.system).toBeNull();
    expect(identity.owner.id).toBe(`pid-${pid}@${hostname()}`);
    expect(identity.owner.metadata).toMatchObject({ process_id: pid, hostname: hostname() });
    expect(identity.user).toBe(here().user);
    expect(identity.purpose).toBe("interactive");
    expect(identity.environment).toBe(isContainer({}) ? "container" : "local");
  });

  test("two of them are two owners", async () => {
    const [one, two] = await Promise.all([ask({}), ask({})]);
    expect(one.identity.owner.id).not.toBe(two.identity.owner.id);
  });

  test("in a job of GitHub Actions is that job", async () => {
    const github = RECORDED[0] as Recorded;
    const { identity } = await ask({ ...github.env });
    expect(identity.owner.id).toBe(github.owner);
    expect(identity.owner.metadata).toMatchObject(github.metadata);
  });

  test("with the mark of a container is in one", async () => {
    expect((await ask({ container: "podman" })).identity.environment).toBe("container");
  });

  const cannotBecomeAnother = process.getuid?.() !== 0;
  testWhere(!cannotBecomeAnother, "modes and owners")(
    "whose user id has no name takes the one in the environment, or the id",
    async () => {
      const uid = 54_321;
      expect((await ask({}, uid)).identity.user).toBe("uid-54321");
      expect((await ask({ USER: "carol", USERNAME: "x" }, uid)).identity.user).toBe("carol");
      expect((await ask({ USERNAME: "carol" }, uid)).identity.user).toBe("carol");
    },
  );
});

describe("a container", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "holdfast-ci-"));
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  function write(path: string, content: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }

  test("is not seen where there is no sign of one", () => {
    expect(isContainer({}, root)).toBe(false);
    expect(isContainer({ container: "", KUBERNETES_SERVICE_HOST: "" }, root)).toBe(false);
  });

  test.each([".dockerenv", "run/.containerenv"])("is known by the file %s", (path) => {
    write(path, "");
    expect(isContainer({}, root)).toBe(true);
  });

  test("is known by its environment", () => {
    expect(isContainer({ container: "systemd-nspawn" }, root)).toBe(true);
    expect(isContainer({ KUBERNETES_SERVICE_HOST: "10.0.0.1" }, root)).toBe(true);
  });

  const id = "0123456789abcdef".repeat(4);
  test.each([
    `12:pids:/docker/${id}\n`,
    `0::/system.slice/docker-${id}.scope\n`,
    `0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-${id}.scope\n`,
    "0::/kubepods/besteffort/pod0f6264ed-5682-4548-864e-1786307cc2ba/3c8ac2ec\n",
    `0::/user.slice/user-1000.slice/libpod-${id}.scope\n`,
    "1:name=systemd:/lxc/build-3\n",
    "0::/lxc.payload.build-3/init.scope\n",
  ])("is known by its control group %j", (group) => {
    write("proc/1/cgroup", group);
    expect(isContainer({}, root)).toBe(true);
  });

  test.each([
    "0::/\n",
    "0::/init.scope\n",
    "0::/system.slice/docker.service\n",
    "0::/user.slice/user-1000.slice/session-3.scope\n",
    "0::/system.slice/actions.runner.acme-docker-builds.service\n",
  ])("is not a machine whose control group is %j", (group) => {
    write("proc/self/cgroup", group);
    expect(isContainer({}, root)).toBe(false);
  });
});
