import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { locationUrl, parseLocation } from "../../src/stores/file/disk/location.ts";
import { patienceOn, withRetry } from "../../src/stores/file/disk/network.ts";
import { cli, json, program } from "../helpers/cli/cli.ts";
import { hold, store } from "../helpers/cli/holding.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { windows } from "../helpers/platform.ts";

const ECHO = `require("fs").writeFileSync(process.env.SEEN, JSON.stringify(process.argv.slice(2)));`;

/** A batch file that hands its arguments on, as npm's shims do. */
function batch(name = "deploy.cmd") {
  const directory = join(temporaryDirectory(), "with space");
  mkdirSync(directory);
  writeFileSync(join(directory, "echo.cjs"), ECHO);
  writeFileSync(
    join(directory, name),
    `@"${process.execPath}" "%~dp0echo.cjs" %*\r\n@exit /b %errorlevel%\r\n`,
  );
  const seen = join(directory, "seen.json");
  return { directory, path: join(directory, name), seen };
}

windows("what a Windows user expects", () => {
  test("W5: doctor finds nothing wrong", async () => {
    const at = store();
    const { code, stdout, stderr } = await cli(["doctor"], at);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("this user may claim");
  });

  describe("W6: commands", () => {
    test.each([
      ["by its path", (made: ReturnType<typeof batch>) => made.path],
      ["by its name and PATHEXT", () => "deploy"],
    ])("a batch file %s", async (_, name) => {
      const made = batch();
      const at = store();
      const env = { ...at.env, PATH: `${made.directory};${process.env.PATH}`, SEEN: made.seen };
      const words = ["plain", "two words", "a&echo b", "x|y", "^", "(", ">out", "!x!", "C:\\dir\\"];
      const { code, stderr } = await cli(["run", "k", "--", name(made), ...words], { env });
      expect(code, stderr).toBe(0);
      expect(JSON.parse(readFileSync(made.seen, "utf8"))).toEqual(words);
    });

    test.each(['x" & echo hacked & "', "%PATH%", "a\nb"])(
      "a batch file does not get the argument %j, which cmd.exe would run or expand",
      async (argument) => {
        const made = batch();
        const at = store();
        const { code, stderr } = await cli(["run", "k", "--", made.path, argument], at);
        expect([code, stderr]).toEqual([
          126,
          expect.stringContaining("cannot be given to a batch"),
        ]);
      },
    );

    test("a script without a program says what to write", async () => {
      const directory = temporaryDirectory();
      const path = join(directory, "deploy.ps1");
      writeFileSync(path, "");
      const { code, stderr } = await cli(["run", "k", "--", path], store());
      expect([code, stderr]).toEqual([126, expect.stringContaining("powershell -File")]);
    });

    test("one that is not there is not found", async () => {
      const { code } = await cli(["run", "k", "--", "no-such-command"], store());
      expect(code).toBe(127);
    });
  });

  describe("keys whose names Windows keeps for itself, or takes for others", () => {
    test.each([
      ...["CON", "nul", "COM1", "a.", "a ", "aux.txt", "ü?*<>|:\\/"].map((key) => [key, key]),
      // The filesystem does not tell them apart: then they exclude each other.
      ["Prod", "prod"],
    ])("%j keeps a claim of %j out until it is released", async (key = "", other = "") => {
      const at = store();
      const first = await hold(at, [], key);
      const claim = (timeout: string) =>
        cli(["run", other, "--timeout", timeout, "--", ...program("process.exit(7)")], at);
      expect((await claim("0")).code).toBe(124);
      first.process.stdin?.end();
      expect((await first.ended).code).toBe(0);
      expect((await claim("20s")).code).toBe(7);
    });
  });

  test.each(["plain", "with space", "ümlaut-Ж", "back\\slash"])(
    "a store in a directory named %j",
    async (name) => {
      const path = join(temporaryDirectory(), name);
      const at = { env: { HOLDFAST_STORE: path } };
      const { code, stderr } = await cli(["run", "k", "--", ...program("")], at);
      expect(code, stderr).toBe(0);
      const status = json<{ store: string }>(await cli(["status", "k", "--json"], at));
      expect(status.store).toMatch(/^file:\/[A-Z]:\/[^\\]*$/);
      const again = { env: { HOLDFAST_STORE: status.store } };
      expect(json(await cli(["status", "k", "--json"], again))).toMatchObject({
        store: status.store,
      });
    },
  );

  test.each([
    ["\\\\server\\share\\locks", "file:////server/share/locks"],
    ["C:\\locks\\x.lock", "file:/C:/locks/x.lock"],
  ])("the store %s is named by a URL that leads back to it", (path, url) => {
    const location = parseLocation(path, "C:\\work");
    expect(locationUrl(location)).toBe(url);
    expect(parseLocation(url, "C:\\work")).toEqual(location);
  });

  test("a file that is open is replaced as soon as it is closed", async () => {
    const directory = temporaryDirectory();
    const [old, next] = ["old", "next"].map((name) => join(directory, name)) as [string, string];
    for (const path of [old, next]) writeFileSync(path, path);
    const reader = openSync(old, "r");
    let waits = 0;
    const close = async () => {
      if (waits++ === 0) closeSync(reader);
    };
    await withRetry(() => renameSync(next, old), close);
    expect([waits, readFileSync(old, "utf8")]).toEqual([1, next]);
    expect(patienceOn(false)).toBe(withRetry);
  });
});
