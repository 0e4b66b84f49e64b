import { describe, expect, it } from "vitest";
import { createLogger, type LogFormat, type LogLevel } from "../../../src/server/log.ts";
import { introductionRequest } from "../../../src/wire/introduction.ts";
import { startServer } from "../../helpers/server/server.ts";
import { PATIENT } from "../../helpers/waiting.ts";

function collect(level: LogLevel, format: LogFormat = "text") {
  const lines: string[] = [];
  const clock = { now: Date.UTC(2026, 10, 16, 10) };
  const log = createLogger({
    level,
    format,
    now: () => clock.now,
    output: (line) => lines.push(line),
  });
  return { lines, clock, log };
}

describe("the log", () => {
  it("writes one line per event, as text", () => {
    const { lines, log } = collect("info");
    log.write("info", "granted", { key: "org/repo", owner: "two words", fence: 5, note: null });
    expect(lines).toEqual([
      '2026-11-16T10:00:00.000Z info  granted key=org/repo owner="two words" fence=5\n',
    ]);
  });

  it("writes JSON", () => {
    const { lines, log } = collect("info", "json");
    log.write("warn", "granted", { key: 'a"b\n', fence: 5 });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] as string)).toEqual({
      time: "2026-11-16T10:00:00.000Z",
      level: "warn",
      event: "granted",
      key: 'a"b\n',
      fence: 5,
    });
  });

  it("lets no key or owner forge a line or a field", () => {
    const { lines, log } = collect("info");
    log.write("info", "granted", { key: "a\nb=c", owner: 'x" fence=9' });
    expect(lines[0]).toMatch(/key="a b=c" owner="x\\" fence=9"\n$/);
    expect(lines[0]?.match(/\n/g)).toHaveLength(1);
  });

  it.each(["text", "json"] as const)(
    "lets no text be a command to a CI runner, as %s",
    (format) => {
      const { lines, log } = collect("info", format);
      const owner = "##[error]forged ##vso[task.setvariable]x ##teamcity[message]";
      log.write("info", "granted", { owner, key: "\u202egnorw", note: "::add-mask::e" });
      expect(lines[0]).not.toMatch(/##(\w*)\[|\u202e|^::/);
      // For a parser of JSON it is still the same.
      if (format === "json") expect(JSON.parse(lines[0] as string)).toMatchObject({ owner });
    },
  );

  it("leaves out what is below its level", () => {
    const { lines, log } = collect("warn");
    for (const level of ["debug", "info", "warn", "error"] as const) log.write(level, level);
    expect(lines.map((line) => line.trim().split(" ").at(-1))).toEqual(["warn", "error"]);
    expect([log.enabled("info"), log.enabled("warn")]).toEqual([false, true]);
  });

  it("bounds what strangers can cause, and says how much it left out", () => {
    const { lines, clock, log } = collect("info");
    for (let count = 0; count < 1_000; count += 1) log.limited("info", "refused", { count });
    expect(lines).toHaveLength(10);
    log.limited("info", "something else");
    expect(lines).toHaveLength(11);
    clock.now += 1_000;
    log.limited("info", "refused");
    expect(lines.at(-1)).toContain("refused left_out=990");
  });
});

describe("the server's log", () => {
  it("tells who got a lock and how it ended, for those who introduced themselves", async () => {
    const server = await startServer({ "lease-sweep-interval": "0.05" });
    const [named, nameless] = [await server.connect(), await server.connect()];
    const owner = { id: "ci-github-1-1-deploy", metadata: {} };
    await named.ask(introductionRequest({ owner, note: null }));
    await named.free("k", await named.take("k"));
    await named.ask("l\nproduction%20line\n0 1\n");
    await nameless.free("quiet", await nameless.take("quiet"));
    await expect.poll(() => server.printed.log, PATIENT).toContain("lease expired");
    const { log } = server.printed;
    expect(log).toMatch(
      /info {2}granted key=k owner=ci-github-1-1-deploy connection=\d+ fence=\d+/,
    );
    expect(log).toMatch(/info {2}released key=k owner=ci-github-1-1-deploy/);
    expect(log).toMatch(/warn {2}lease expired key="production line" owner=ci-github-1-1-deploy/);
    expect(log).not.toContain("quiet");
    expect(log).not.toMatch(/[0-9a-f]{32}/);
  });
});
