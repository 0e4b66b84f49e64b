import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KeyStatus } from "../../../src/lock/status.ts";
import { PLACE_GRACE_MS } from "../../../src/server/memory/restore.ts";
import { cli, json, program, startCli, UNTIL_INPUT_ENDS } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import type { Running } from "../../helpers/processes.ts";
import { Restartable } from "../../helpers/server/restartable.ts";

type Door = "tcp" | "http";

/** A server with a data file, and `holdfast run` processes in one line. */
class Line {
  readonly server: Restartable;
  readonly #served = join(temporaryDirectory(), "served");
  readonly #temporary = temporaryDirectory();

  private constructor(server: Restartable) {
    this.server = server;
    appendFileSync(this.#served, "");
  }

  static async start(): Promise<Line> {
    return new Line(await Restartable.start(["--http-port", "0", "--shutdown-timeout", "0.1"]));
  }

  env(door: Door): NodeJS.ProcessEnv {
    const port = door === "tcp" ? this.server.port : this.server.httpPort;
    return { HOLDFAST_STORE: `${door}://127.0.0.1:${port}`, RUNNER_TEMP: this.#temporary };
  }

  async hold(door: Door): Promise<Running> {
    const holder = startCli(["run", "production", "--owner", "holder", "--", ...UNTIL_INPUT_ENDS], {
      env: this.env(door),
    });
    await holder.prints(/ready/);
    return holder;
  }

  /** A claim that writes its name down when it is served. */
  claim(owner: string, door: Door): Running {
    const note = `require("fs").appendFileSync(${JSON.stringify(this.#served)}, "${owner} ")`;
    const args = ["run", "production", "--owner", owner, "--", ...program(note)];
    return startCli(args, { env: this.env(door) });
  }

  /** Puts claims in line, one behind the other. */
  async join(doors: readonly Door[]): Promise<Running[]> {
    const claims: Running[] = [];
    for (const [index, door] of doors.entries()) {
      const claim = this.claim(String(index + 1), door);
      await claim.prints(/in line/, "stderr");
      claims.push(claim);
    }
    await this.server.written();
    return claims;
  }

  async status(): Promise<KeyStatus> {
    return json(await cli(["status", "production", "--json"], { env: this.env("http") }));
  }

  get served(): string {
    return readFileSync(this.#served, "utf8").trim();
  }
}

const DOORS: readonly (readonly [string, readonly Door[]])[] = [
  ["TCP", ["tcp", "tcp", "tcp", "tcp", "tcp"]],
  ["HTTP", ["http", "http", "http", "http", "http"]],
  ["both doors", ["http", "tcp", "tcp", "http", "tcp"]],
];

const all = (claims: readonly Running[]) => Promise.all(claims.map(({ ended }) => ended));

describe.each(["SIGKILL", "SIGTERM"] as const)("after %s and a restart", (signal) => {
  test.each(DOORS)("five that wait over %s are served in their order", async (_, doors) => {
    const line = await Line.start();
    const holder = await line.hold(doors[0] as Door);
    const claims = await line.join(doors);
    const before = (await line.status()).waiters;
    await line.server.restart(signal);
    const { waiting, waiters } = await line.status();
    expect(waiting).toBe(5);
    // Each is where it was, and has waited for as long as it has.
    expect(waiters.map(({ owner, since }) => [owner, since])).toEqual(
      before.map(({ owner, since }) => [owner, since]),
    );
    holder.process.stdin?.end();
    expect((await all(claims)).map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(line.served).toBe("1 2 3 4 5");
  });
});

describe("the lock is free when the server is back", () => {
  test.each(DOORS)(
    "five that waited over %s pass nobody, and no newcomer passes them",
    async (_, doors) => {
      const line = await Line.start();
      // A client without a name, whose lock ends with the server.
      await (await line.server.plain()).take("production", { lease: 60 });
      const claims = await line.join(doors);
      await line.server.restart();
      const newcomers = [line.claim("6", "http"), line.claim("6", "tcp")];
      await all([...claims, ...newcomers]);
      expect(line.served).toBe("1 2 3 4 5 6 6");
    },
  );

  test("one that was killed meanwhile is passed after the grace, and not before", async () => {
    const line = await Line.start();
    await (await line.server.plain()).take("production", { lease: 60 });
    const claims = await line.join(["tcp", "http", "tcp", "http"]);
    await line.server.end();
    for (const dead of claims.slice(0, 2)) {
      dead.killGroup("SIGKILL");
      await dead.ended;
    }
    await line.server.startAgain();
    const started = performance.now();
    await all(claims.slice(2));
    expect(line.served).toBe("3 4");
    // The server counts from before it said that it listens.
    expect(performance.now() - started).toBeGreaterThan(PLACE_GRACE_MS / 2);
    expect(await line.status()).toMatchObject({ waiting: 0, holders: [] });
  });
});
