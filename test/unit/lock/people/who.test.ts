import { describe, expect, test } from "vitest";
import { commandWords, nameOf, whoIs } from "../../../../src/lock/people/who.ts";

const run = {
  ci_system: "github",
  run_id: "19283746551",
  run_attempt: "1",
  job: "deploy",
  workflow: "Release",
  repository: "acme/shop",
  ref: "refs/heads/main",
  sha: "1a2b3c4d5e6f",
  actor: "ann",
};
const owner = "ci-github-19283746551-1-deploy";

describe("a job", () => {
  test("is known by workflow, number, repository, branch, job and who started it", () => {
    const metadata = { ...run, run_number: "128" };
    expect(whoIs({ owner, metadata })).toBe(
      "Release #128 of acme/shop (main, job deploy), started by ann",
    );
    expect(nameOf({ owner, metadata })).toBe(
      `Release #128 of acme/shop (main, job deploy), started by ann (${owner})`,
    );
  });

  test("without a number, as an older holder tells it, by its commit", () => {
    expect(whoIs({ owner, metadata: run })).toBe(
      "Release of acme/shop (main at 1a2b3c4, job deploy), started by ann",
    );
    expect(whoIs({ owner, metadata: { ...run, ref: "" } })).toContain("(1a2b3c4, job deploy)");
  });

  test("two runs, attempts, legs or commits of one workflow never read alike", () => {
    const names = [
      whoIs({ owner, metadata: run }),
      whoIs({ owner, metadata: { ...run, sha: "ffffffffff" } }),
      whoIs({ owner, metadata: { ...run, run_number: "128" } }),
      whoIs({ owner, metadata: { ...run, run_number: "129" } }),
      whoIs({ owner, metadata: { ...run, run_number: "129", run_attempt: "2" } }),
      whoIs({ owner: `${owner}-0`, metadata: { ...run, run_number: "129" } }),
      whoIs({ owner: `${owner}-1`, metadata: { ...run, run_number: "129" } }),
    ];
    expect(new Set(names).size).toBe(names.length);
    expect(names[4]).toContain("Release #129, attempt 2, of acme/shop");
    expect(names[6]).toContain("job deploy-1");
  });

  test("tags and pull requests are named as people name them", () => {
    const of = (ref: string) => whoIs({ owner, metadata: { ...run, run_number: "1", ref } });
    expect(of("refs/tags/v1.2.3")).toContain("(v1.2.3, ");
    expect(of("refs/pull/12/merge")).toContain("(pull 12, ");
  });

  test("where the system's run id is the number that its users know, that one is told", () => {
    const metadata = { ci_system: "jenkins", run_id: "41", workflow: "shop/main" };
    expect(whoIs({ owner: "ci-jenkins-shop/main-41", metadata })).toBe("shop/main #41");
    const circle = { ci_system: "circleci", run_id: "0f1e-22", job: "deploy", repository: "a/b" };
    expect(whoIs({ owner: "ci-circleci-0f1e-22-7", metadata: circle })).toBe("deploy of a/b");
  });

  test("an owner id that somebody chose is said in both forms, once", () => {
    const chosen = { owner: "deploy-bot", metadata: { ...run, run_number: "128" } };
    expect(whoIs(chosen)).toMatch(/ann \(deploy-bot\)$/);
    expect(nameOf(chosen)).toBe(whoIs(chosen));
  });
});

describe("a terminal", () => {
  test("is known by user, command, process and machine", () => {
    const party = {
      owner: "pid-28044@vm",
      metadata: { user_identity: "root", command: "sleep 300" },
    };
    expect(whoIs(party)).toBe("root, `sleep 300`, pid 28044 on vm");
    expect(nameOf(party)).toBe(whoIs(party));
    expect(whoIs({ ...party, metadata: {} })).toBe("pid 28044 on vm");
  });

  test("any other owner is its id", () => {
    expect(whoIs({ owner: "deploy-bot", metadata: { user_identity: "root" } })).toBe("deploy-bot");
    expect(whoIs({ owner: "o", metadata: { actor: "ann" } })).toBe("o");
  });
});

describe("a command line for others to read", () => {
  test.each([
    [["sleep", "300"], "sleep 300"],
    [["/usr/bin/make", "deploy"], "make deploy"],
    [["./deploy.sh", "production"], "deploy.sh production"],
    [["node", "scripts/release.js", "eu", "west", "now"], "node scripts/release.js eu …"],
    [["deploy"], "deploy"],
  ])("%j is %s", (line, words) => {
    expect(commandWords(line)).toBe(words);
  });

  test.each([
    ["an option's value", ["mysql", "-phunter2", "shop"]],
    ["the value after an option", ["deploy", "--token", "hunter2"]],
    ["what follows =", ["env", "API=hunter2", "deploy"]],
    ["a mix of letters and digits", ["deploy", "hunter2"]],
    ["a long word", ["deploy", "hunterhunterhunterhunterhunter2".replace("2", "")]],
    ["an address with a password", ["curl", "https://ann:hunter2@host/"]],
    ["a script in one word", ["bash", "-c", "curl -u ann:hunter2 host"]],
    ["a word after one that speaks of secrets", ["docker", "login", "hunter"]],
    ["words of a program that takes passwords", ["sshpass", "hunter"]],
    ["a program that is no name", ["deploy hunter2 =x"]],
  ])("%s is never shown", (_, line) => {
    expect(commandWords(line)).not.toContain("hunter");
  });

  test("is short and plain whatever was written", () => {
    const words = commandWords(["a".repeat(40), "b".repeat(24), "c".repeat(24), "\u001b[2J"]);
    expect(words.length).toBeLessThanOrEqual(100);
    expect(commandWords(["\u001b[2J"])).toBe("a command");
  });
});
