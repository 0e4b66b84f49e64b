import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ACTION, openScene } from "../scene.ts";

const STAGES = ["pre", "main", "post"];

/** A text that only the code of this engine has. */
const ENGINES = {
  etcd: "/v3/kv/txn",
  git: "git-upload-pack",
  postgres: "pg_notify",
  redis: "SUBSCRIBE",
  s3: "x-amz-",
};

/** The engines whose code is in these files. */
function enginesIn(files: readonly string[]): string[] {
  const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
  return Object.entries(ENGINES).flatMap(([engine, text]) => (code.includes(text) ? engine : []));
}

// Everything that a stage loads costs every job that uses the action.
test("a stage loads an engine only where it is used", async () => {
  const scene = openScene();
  const list = join(scene.directory, "loaded");
  const recorder = `
    import { appendFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    const load = (url, context, next) => {
      appendFileSync(${JSON.stringify(list)}, url + "\\n");
      return next(url, context);
    };
    registerHooks({ load });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(recorder)}`;
  const job = scene.job({ steps: [scene.lock({}, { env: { NODE_OPTIONS } })] });
  expect((await job.finished).result).toBe("success");
  const loaded = readFileSync(list, "utf8")
    .split("\n")
    .filter((url) => url.startsWith("file:"))
    .map((url) => fileURLToPath(url));
  for (const stage of STAGES) {
    const folder = join(ACTION, "dist", stage);
    const used = loaded.filter((file) => file.startsWith(folder));
    expect(used).toContain(join(folder, "index.js"));
    expect(enginesIn(used)).toEqual([]);
    // They are there all the same, in files of their own.
    const all = readdirSync(folder).map((name) => join(folder, name));
    expect(enginesIn(all)).toEqual(Object.keys(ENGINES));
  }
});
