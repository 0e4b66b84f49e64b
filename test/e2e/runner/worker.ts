/**
 * The runner's worker as a process of its own: the parent of every stage, and killable. Takes the
 * job's file as its argument, tells what happens as JSON lines on stdout, and cancels when it reads
 * `cancel` on stdin. One of Gitea outlives its job, and ends with stdin.
 */
import { readFileSync } from "node:fs";
import type { JobDescription, RunnerEvent } from "./job.ts";
import { readLines } from "./language/lines.ts";
import { JobRunner } from "./run-job.ts";

const file = process.argv[2];
if (file === undefined) throw new Error("name the file of the job");
const job = JSON.parse(readFileSync(file, "utf8")) as JobDescription;
const emit = (event: RunnerEvent) => void process.stdout.write(`${JSON.stringify(event)}\n`);
const runner = new JobRunner(job, emit);
readLines(process.stdin, (line) => {
  if (line === "cancel") runner.cancel("asked");
});
await runner.run();
if (job.runner !== "gitea") process.stdin.destroy();
