import { describe, expect, it } from "vitest";
import type { Client } from "../../helpers/server/client.ts";
import { connectTo, type ServerProcess, startProcess } from "../../helpers/server/server.ts";
import { PATIENT } from "../../helpers/waiting.ts";

const GRANT = /^ok [0-9a-f]{32} \d+$/;

async function holderAndWaiter(server: ServerProcess) {
  const [holder, waiter] = [await connectTo(server.port), await connectTo(server.port)];
  const token = await holder.take("k");
  waiter.send("l\nk\n600\n");
  await expect.poll(async () => (await holder.stats()).locks[0]?.waiters, PATIENT).toBe(1);
  return { holder, waiter, token };
}

/** Whether a port is closed: the connection is refused. */
async function refuses(port: number): Promise<boolean> {
  const client = await connectTo(port).catch(() => null);
  client?.hangUp();
  return client === null;
}

describe.each(["SIGTERM", "SIGINT"] as const)("on %s", (signal) => {
  it("those who wait get error, the holder may renew and release, and the exit code is 0", async () => {
    const server = await startProcess([]);
    const { holder, waiter, token } = await holderAndWaiter(server);
    server.child.kill(signal);
    expect(await waiter.line()).toBe("error");
    await waiter.untilClosed();
    await expect.poll(() => refuses(server.port), PATIENT).toBe(true);
    expect(await holder.ask(`n\nk\n${token} 60\n`)).toBe("ok 60");
    expect(await holder.ask("l\nother\n0\n")).toBe("error");
    expect(await holder.ask(`r\nk\n${token}\n`)).toBe("ok");
    await holder.untilClosed();
    expect(await server.ended).toEqual([0, null]);
    expect(server.stderr()).toMatch(/info {2}stopping connections=2 held=1 waiting=1\n/);
    expect(server.stderr()).toMatch(/info {2}stopped\n$/);
  });
});

describe("stopping", () => {
  it("does not wait for connections that hold nothing", async () => {
    const server = await startProcess([]);
    const idle = await connectTo(server.port);
    await idle.stats();
    server.child.kill("SIGTERM");
    await idle.untilClosed();
    expect(await server.ended).toEqual([0, null]);
  });

  it("ends after the shutdown timeout, whoever still holds", async () => {
    const server = await startProcess(["--shutdown-timeout", "1"]);
    const { holder } = await holderAndWaiter(server);
    const start = performance.now();
    server.child.kill("SIGTERM");
    await holder.untilClosed();
    expect(performance.now() - start).toBeGreaterThan(900);
    expect(await server.ended).toEqual([0, null]);
    expect(server.stderr()).toContain("closing connections that still hold locks");
  });

  it("with a shutdown timeout of 0 waits for the holder, until a second signal comes", async () => {
    const server = await startProcess(["--shutdown-timeout", "0"]);
    const { holder, waiter, token } = await holderAndWaiter(server);
    server.child.kill("SIGTERM");
    await waiter.untilClosed();
    await stillHeld(holder, token);
    server.child.kill("SIGTERM");
    await holder.untilClosed();
    expect(await server.ended).toEqual([0, null]);
  });

  async function stillHeld(holder: Client, token: string): Promise<void> {
    for (let round = 0; round < 5; round += 1) {
      expect(await holder.ask(`n\nk\n${token}\n`)).toBe("ok 33");
    }
  }
});

describe("starting", () => {
  it("prints the address when it accepts connections, and takes options from the environment", async () => {
    const server = await startProcess(["--log-level=warn"], {
      HOLDFAST_DEFAULT_LEASE_TTL: "77",
      HOLDFAST_LOG_LEVEL: "debug",
    });
    expect(await (await connectTo(server.port)).ask("l\nk\n0\n")).toMatch(/ 77$/);
    expect(server.stderr()).toBe("");
  });

  it("writes its log as JSON when told", async () => {
    const server = await startProcess(["--log-format", "json"]);
    const line = JSON.parse(server.stderr().split("\n")[0] as string);
    expect(line).toMatchObject({ level: "info", event: "started", auth: false });
  });

  it.each([
    [["--host", "0.0.0.0"], /from other machines.*--auth-token-file.*--insecure/],
    [["--host", "::"], /from other machines/],
    [
      ["--host", "192.0.2.1", "--insecure"],
      /cannot listen on 192\.0\.2\.1:0: this machine has no such address/,
    ],
    [
      ["--auth-token-file", "/nowhere/token"],
      /"\/nowhere\/token" of --auth-token-file cannot be read: it is not there/,
    ],
    [["--tls-cert", "/nowhere/cert"], /--tls-cert stands without --tls-key/],
    [["--http-port", "x"], /--http-port is "x": use a whole number from 0 to 65535/],
    [["--data", ""], /--data is "": give it a printable value/],
    [["--max-body", "0"], /--max-body is "0": use a whole number from 1 to/],
    [["--max-lock", "5"], /"--max-lock" is not known: did you mean --max-locks\?/],
    [["production"], /"production" is too much: write holdfast serve \[options\]\./],
    [["--max-locks"], /--max-locks has no value: write --max-locks N\./],
  ])("refuses %j with exit code 2", async (args, sentence) => {
    const error = await startProcess(args).catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/^Error: exit 2: holdfast: The /);
    expect(String(error)).toMatch(sentence);
  });

  it("refuses a port that is taken", async () => {
    const { port } = await startProcess([]);
    await expect(startProcess(["--port", String(port)])).rejects.toThrow(
      /something else listens there/,
    );
  });

  it("warns where it listens beyond this machine without TLS, and not elsewhere", async () => {
    const env = { HOLDFAST_AUTH_TOKEN: "secret" };
    const open = await startProcess(["--host", "0.0.0.0"], env);
    await expect.poll(open.stderr, PATIENT).toMatch(/warn .*without TLS.*--tls-cert/);
    const local = await startProcess([], env);
    await expect.poll(local.stderr, PATIENT).toContain("no --data");
    expect(local.stderr()).not.toContain("without TLS");
  });

  it.each([[], ["--http-port", "0"]])(
    "says that a restart forgets the locks where there is no --data: %s",
    async (...args) => {
      const server = await startProcess(args);
      const said =
        /no --data: a restart forgets locks, who waits for them, freezes, sessions and files/;
      await expect.poll(server.stderr, PATIENT).toMatch(said);
    },
  );

  it("listens beyond this machine with --insecure", async () => {
    const server = await startProcess(["--host", "0.0.0.0", "--insecure"]);
    expect(await (await connectTo(server.port)).ask("l\nk\n0\n")).toMatch(GRANT);
  });

  it("warns of a token on the command line, which it does not repeat", async () => {
    const server = await startProcess(["--auth-token", "s3cret"]);
    expect(server.stderr()).toContain("visible in the process list");
    expect(server.stderr()).not.toContain("s3cret");
  });
});
