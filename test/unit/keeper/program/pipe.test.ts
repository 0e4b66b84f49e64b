import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LinePipe } from "../../../../src/keeper/program/pipe.ts";
import { start, temporaryDirectory } from "../../../helpers/processes.ts";

function pipeOf(text: string | Buffer): LinePipe {
  const path = join(temporaryDirectory(), "pipe");
  writeFileSync(path, text);
  const descriptor = openSync(path, "r");
  onTestFinished(() => closeSync(descriptor));
  return new LinePipe(descriptor);
}

test("lines come one by one, and then the end", () => {
  const pipe = pipeOf("one\n\nthree é 🔒\n");
  expect([pipe.next(), pipe.next(), pipe.next(), pipe.next()]).toEqual([
    "one",
    "",
    "three é 🔒",
    null,
  ]);
});

test("a line that is longer than what is read at once is one line", () => {
  const long = "é".repeat(100_000);
  expect(pipeOf(`${long}\nnext\n`).next()).toBe(long);
});

test("what is no whole line is left for the next reader, byte by byte", () => {
  const pipe = pipeOf("order\nacknow");
  expect(pipe.next()).toBe("order");
  expect(pipe.rest().toString()).toBe("acknow");
  expect(pipe.next()).toBeNull();
});

/** A real pipe, written to piece by piece by another process, and then closed. */
test("it waits for what comes later, at any cut", async () => {
  const program = `
    const { LinePipe } = await import(process.argv[1]);
    const pipe = new LinePipe(0);
    console.log("ready");
    for (let line = pipe.next(); line !== null; line = pipe.next()) console.log("line " + line);
    console.log("end");`;
  const url = new URL("../../../../src/keeper/program/pipe.ts", import.meta.url).href;
  const reader = start(process.execPath, ["--input-type=module", "-e", program, url]);
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
