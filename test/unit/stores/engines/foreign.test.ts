import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KeyStatus } from "../../../../src/lock/status.ts";
import { openDocumentStore } from "../../../../src/stores/document/store.ts";
import { cli, json, program } from "../../../helpers/cli/cli.ts";
import type { GitServer } from "../../../helpers/git-server.ts";
import { onEnd, opened, served } from "./git/kit.ts";

const PREFIX = "refs/holdfast/v1/";
const NOTHING = program("");
const WHO = ["-c", "user.name=x", "-c", "user.email=x@example.org"];

/** Objects of other tools under the names of keys. */
async function withForeignRefs(): Promise<{ git: GitServer; keys: readonly string[] }> {
  const git = await served();
  const file = join(git.repository, "file");
  const written = async (content: string | Buffer) => {
    writeFileSync(file, content);
    return (await git.git("hash-object", "-w", file)).trim();
  };
  const tree = async () => (await git.git("write-tree")).trim();
  const commit = async (of: string) =>
    (await git.git(...WHO, "commit-tree", of, "-F", file)).trim();
  const add = (name: string, blob: string) =>
    git.git("update-index", "--add", "--cacheinfo", `100644,${blob},${name}`);
  const none = await tree();
  const long = await written("x".repeat(70_000)).then(() => commit(none));
  const blob = await written("hello");
  for (let index = 0; index < 20; index++) await add(`f${index}`, await written(`f${index}`));
  const files = await commit(await tree());
  await add("huge", await written(randomBytes(3 * 1024 * 1024)));
  await written("hello");
  const huge = await commit(await tree());
  await git.git(...WHO, "tag", "-a", "-m", "tag", "t", files);
  const tag = (await git.git("rev-parse", "t")).trim();
  const refs = { blob, files, huge, long, tag, tree: none };
  for (const [key, id] of Object.entries(refs)) await git.git("update-ref", PREFIX + key, id);
  return { git, keys: Object.keys(refs) };
}

describe("refs of other tools under the names of keys", () => {
  test("list names the sound keys and the unsound ones, and every command says what heals", async () => {
    const { git, keys } = await withForeignRefs();
    const store = openDocumentStore(opened(git.url));
    onEnd(() => store.close());
    const holding = await store.claim({ key: "sound", owner: { id: "a", metadata: {} } });
    const at = ["--store", git.url];

    const listed = await cli(["list", "--json", ...at]);
    expect(listed.code).toBe(1);
    const found = json<{ keys: KeyStatus[] }>(listed).keys;
    expect(found.map(({ key }) => key)).toEqual([...keys, "sound"].sort());
    for (const { key, error, holders } of found) {
      if (key === "sound") {
        expect(error).toBeUndefined();
        continue;
      }
      expect(error).toMatchObject({ code: "BAD_LOCK_FILE" });
      expect(error?.message).toContain(`holdfast break ${key} --reason TEXT`);
      expect(holders).toMatchObject([{ owner: "unknown", problem: error?.message }]);
    }
    const shown = await cli(["list", ...at]);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(/^blob +broken +cannot be read: .*there is a blob/m);
    expect(shown.stdout).toMatch(/^sound +held by a/m);

    for (const command of ["run", "freeze", "thaw", "history"]) {
      const more = { run: ["--", ...NOTHING], freeze: ["--reason", "r"] }[command] ?? [];
      const { code, stderr } = await cli([command, "tag", ...at, ...more]);
      expect([command, code]).toEqual([command, command === "run" ? 125 : 2]);
      expect(stderr).toContain("holdfast break tag --reason TEXT");
    }
    const status = await cli(["status", "tree", "--exit-code", ...at]);
    expect(status.code).toBe(1);
    expect(status.stdout).toContain("there is a tree");
    const cleaned = await cli(["clean", ...at]);
    expect(cleaned.code).toBe(2);
    expect(cleaned.stderr).toContain("blob was not cleaned");
    const doctor = await cli(["doctor", ...at]);
    expect(doctor.code).toBe(1);
    for (const key of keys) expect(doctor.stdout).toContain(`holdfast break ${key}`);
    await holding.release();
  }, 120_000);

  test("a break puts a sound document in its place, with a fence above the last one", async () => {
    const { git, keys } = await withForeignRefs();
    const store = openDocumentStore(opened(git.url));
    onEnd(() => store.close());
    for (const key of keys) {
      const before = Date.now() * 1_000;
      const by = { owner: "admin", reason: "it is garbage" };
      expect((await store.break(key, by)).broken).toMatchObject([{ owner: "unknown" }]);
      const holding = await store.claim({ key, owner: { id: "a", metadata: {} } }, { timeout: 0 });
      expect(holding.lease.fence).toBeGreaterThan(before);
      await holding.release();
    }
    expect(await store.list()).toEqual([]);
    await git.git("fsck", "--strict");
  }, 120_000);

  test("a fence that can still be read is not given again, though the clock has gone back", async () => {
    const git = await served();
    const fence = (Date.now() + 86_400_000) * 1_000;
    const file = join(git.repository, "file");
    writeFileSync(file, `{"v":1,"fence":${fence},"holders":[{`);
    const tree = (await git.git("write-tree")).trim();
    const id = (await git.git(...WHO, "commit-tree", tree, "-F", file)).trim();
    await git.git("update-ref", `${PREFIX}k`, id);
    const store = openDocumentStore(opened(git.url));
    onEnd(() => store.close());
    await store.break("k", { owner: "admin", reason: "garbage" });
    const { lease } = await store.claim({ key: "k", owner: { id: "a", metadata: {} } });
    expect(lease.fence).toBeGreaterThan(fence);
  });
});

describe("a ref that is in the way of a key's", () => {
  test.each([
    ["below it", `${PREFIX}k/x`, false],
    ["below it, and the server keeps git's words to itself", `${PREFIX}k/x`, true],
    ["in place of its directory", "refs/holdfast/v1", false],
  ])(
    "%s is named at once, with the command that removes it",
    async (_, other, isMute) => {
      const git = await served();
      git.isMute = isMute;
      const tree = (await git.git("write-tree")).trim();
      const id = (await git.git(...WHO, "commit-tree", tree, "-m", "x")).trim();
      await git.git("update-ref", other, id);
      const { code, stderr } = await cli([
        ...["run", "k", "--timeout", "60s", "--store", git.url, "--", ...NOTHING],
      ]);
      expect(code).toBe(125);
      expect(stderr).toContain(`git push ${git.origin}/repo.git --delete ${other}.`);
      await git.git("update-ref", "-d", other);
      expect((await cli(["run", "k", "--store", git.url, "--", ...NOTHING])).code).toBe(0);
    },
    60_000,
  );
});
