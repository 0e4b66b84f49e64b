import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Starter } from "../../../../src/keeper/program/starter.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { start } from "../../../helpers/processes.ts";

/** A starter that has written this text and ended. */
function starterOf(text: string | Buffer): Starter {
  const path = join(temporaryDirectory(), "pipe");
  writeFileSync(path, text);
  const descriptor = openSync(path, "r");
  onTestFinished(() => closeSync(descriptor));
  return new Starter(descriptor);
}

/** A process whose starter is this one, and that runs the given lines with it. */
function keeperOf(lines: string) {
  const program = `const { Starter } = await import(process.argv[1]);
    const starter = new Starter();
    console.log("ready");
    ${lines}`;
  const url = new URL("../../../../src/keeper/program/starter.ts", import.meta.url).href;
  return start(process.execPath, ["--input-type=module", "-e", program, url]);
}

test("lines come one by one, and then the end", () => {
  const starter = starterOf("one\n\nthree é 🔒\n");
  const lines = [starter.nextLine(), starter.nextLine(), starter.nextLine(), starter.nextLine()];
  expect(lines).toEqual(["one", "", "three é 🔒", null]);
});

test("a line that is longer than what is read at once is one line", () => {
  const long = "é".repeat(100_000);
  expect(starterOf(`${long}\nnext\n`).nextLine()).toBe(long);
});

test("half a line at the end is no line", () => {
  const starter = starterOf("task\nacknow");
  expect(starter.nextLine()).toBe("task");
  expect(starter.nextLine()).toBeNull();
});

test("what came with the task, be it half a line, is heard by the one who listens later", async () => {
  const keeper = keeperOf(`
    console.log("task " + JSON.stringify(starter.task()));
    const listened = starter.listen();
    listened.acknowledged.then((known) => console.log("acknowledged " + known));`);
  await keeper.prints(/ready/);
  keeper.process.stdin?.write('{"key":"k"}\nacknow');
  await keeper.prints(/task \{"key":"k"\}/);
  keeper.process.stdin?.end("ledged\n");
  expect((await keeper.ended).stdout).toMatch(/acknowledged true\n$/);
});

test("a whole line that came with the task is heard as well", async () => {
  const keeper = keeperOf(`
    starter.task();
    starter.listen().acknowledged.then((known) => console.log("acknowledged " + known));`);
  await keeper.prints(/ready/);
  keeper.process.stdin?.end('{"key":"k"}\nacknowledged\n');
  expect((await keeper.ended).stdout).toMatch(/acknowledged true\n$/);
});

/** A real pipe, written to piece by piece by another process, and then closed. */
test("it waits for what comes later, at any cut", async () => {
  const reader = keeperOf(`
    for (let line = starter.nextLine(); line !== null; line = starter.nextLine())
      console.log("line " + line);
    console.log("end");`);
  await reader.prints(/ready/);
  const bytes = Buffer.from("é1\né2\n");
  for (const byte of bytes) {
    reader.process.stdin?.write(Buffer.from([byte]));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await reader.prints(/line é1\nline é2\n/);
  reader.process.stdin?.end();
  expect((await reader.ended).stdout).toMatch(/end\n$/);
});
