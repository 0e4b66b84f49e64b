import { existsSync, readFileSync } from "node:fs";

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Prints what passed, failed and was skipped, and why; gives the exit code. */
export function report(path: string, log: string): number {
  if (!existsSync(path)) {
    console.log(existsSync(log) ? readFileSync(log, "utf8").slice(-4_000) : "no output");
    return 1;
  }
  const { testResults } = JSON.parse(readFileSync(path, "utf8")) as Report;
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((each) => ({ ...each, file: name.replace(/^.*?\/test\//, "test/") })),
  );
  const of = (...states: string[]) => tests.filter(({ status }) => states.includes(status));
  const failed = of("failed");
  const skipped = of("skipped", "pending", "todo");
  for (const { file, fullName, failureMessages } of failed)
    console.log(`FAILED ${file}: ${fullName}\n    ${failureMessages[0]?.split("\n")[0]}`);
  // A file that fails before its first test has none that failed.
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((each) => each.status === "failed"),
  );
  for (const { name, message } of broken) console.log(`BROKEN ${name}: ${message.split("\n")[0]}`);
  const reasons = new Map<string, number>();
  for (const { file, fullName } of skipped) {
    const why = /\[without ([^\]]+)\]/.exec(fullName)?.[1] ?? `a condition of its own (${file})`;
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  for (const [why, count] of reasons) console.log(`skipped ${count}, without ${why}`);
  console.log(
    `${of("passed").length} passed, ${failed.length} failed, ${skipped.length} skipped, ${broken.length} files broken`,
  );
  return failed.length + broken.length === 0 ? 0 : 1;
}
