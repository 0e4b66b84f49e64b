import { describe, expect, it } from "vitest";
import { isLockError, type LockError } from "../../../src/lock/errors.ts";
import {
  environmentName,
  parseServerOptions,
  SERVER_OPTIONS,
  type ServerOptionName,
} from "../../../src/server/options.ts";

const NAMES = Object.keys(SERVER_OPTIONS) as ServerOptionName[];

function parse(flags: Record<string, string>, env: Record<string, string> = {}) {
  return parseServerOptions({ flags, env });
}

function failure(flags: Record<string, string>, env: Record<string, string> = {}): LockError {
  try {
    parse(flags, env);
  } catch (error) {
    if (isLockError(error)) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

/** A value for each option that is not its default. */
const OTHER: Partial<Record<ServerOptionName, string>> = {
  host: "::1",
  port: "7000",
  "http-port": "7001",
  data: "/var/lib/holdfast/locks.db",
  "auth-token-file": "/etc/token",
  "default-lease-ttl": "60",
  "lease-sweep-interval": "0.5",
  "gc-interval": "6",
  "gc-max-idle": "0",
  "max-locks": "0",
  "max-waiters": "7",
  "max-connections": "8",
  "max-sessions": "9",
  "max-body": "1024",
  "read-timeout": "9.25",
  "write-timeout": "0",
  "shutdown-timeout": "0",
  "auto-release-on-disconnect": "false",
  "log-level": "debug",
  "log-format": "json",
  insecure: "true",
};

describe("the server's options", () => {
  it("have dflockd's defaults", () => {
    expect(parse({})).toEqual({
      host: "127.0.0.1",
      port: 6388,
      httpPort: null,
      data: null,
      secret: null,
      secretFile: null,
      readSecretFile: null,
      policyFile: null,
      githubAppFile: null,
      tls: null,
      defaultLeaseSeconds: 33,
      leaseSweepInterval: 1_000,
      gcInterval: 5_000,
      gcMaxIdle: 60_000,
      maxLocks: 1_024,
      maxWaiters: 0,
      maxConnections: 0,
      maxSessions: 10_000,
      maxBody: 16_777_216,
      readTimeout: 23_000,
      writeTimeout: 5_000,
      shutdownTimeout: 30_000,
      autoReleaseOnDisconnect: true,
      logLevel: "info",
      logFormat: "text",
      insecure: false,
      warnings: [],
    });
  });

  it.each(Object.entries(OTHER))(
    "--%s %s is the same as its environment variable",
    (name, value) => {
      const byFlag = parse({ [name]: value });
      const byVariable = parse({}, { [environmentName(name as ServerOptionName)]: value });
      expect(byVariable).toEqual(byFlag);
      expect(byFlag).not.toEqual(parse({}));
    },
  );

  it("are all tried here, or elsewhere in this file", () => {
    const apart = ["auth-token", "github-app", "policy", "read-token-file"];
    const elsewhere = [...apart, "tls-cert", "tls-key"];
    expect([...Object.keys(OTHER), ...elsewhere].sort()).toEqual([...NAMES].sort());
  });

  it("as flags win over the environment, and an empty variable is none", () => {
    const env = { HOLDFAST_PORT: "7000", HOLDFAST_MAX_LOCKS: "", HOLDFAST_STORE: "file:" };
    expect(parse({ port: "8000" }, env)).toMatchObject({ port: 8_000, maxLocks: 1_024 });
  });

  it("take a token from the environment without a warning, and one from a flag with", () => {
    expect(parse({}, { HOLDFAST_AUTH_TOKEN: " abc " })).toMatchObject({
      secret: "abc",
      warnings: [],
    });
    expect(parse({ "auth-token": "abc" }).warnings).toHaveLength(1);
  });

  it("take a token for looking beside the token, and not without", () => {
    const both = { "auth-token-file": "t", "read-token-file": "r" };
    expect(parse(both)).toMatchObject({ secretFile: "t", readSecretFile: "r" });
    const env = { HOLDFAST_READ_TOKEN_FILE: "r", HOLDFAST_AUTH_TOKEN: "x" };
    expect(parse({}, env)).toMatchObject({ secret: "x", readSecretFile: "r" });
    expect(failure({ "read-token-file": "r" }).message).toMatch(
      /^The option --read-token-file stands without --auth-token-file.*: give both, or neither\.$/,
    );
  });

  it("take a policy where there is a door for ID tokens", () => {
    expect(parse({ policy: "p", "http-port": "0" })).toMatchObject({ policyFile: "p" });
    expect(failure({ policy: "p" }).message).toContain("--policy stands without --http-port");
  });

  it("take an App where GitHub can reach it, and where no restart forgets who waits", () => {
    const both = { "github-app": "a", "http-port": "0", data: "d" };
    expect(parse(both)).toMatchObject({ githubAppFile: "a" });
    const { data: _, ...without } = both;
    expect(failure(without).message).toContain("--github-app stands without --data");
    expect(failure({ "github-app": "a", data: "d" }).message).toContain("without --http-port");
  });

  it("take a certificate with its key", () => {
    expect(parse({ "tls-cert": "c", "tls-key": "k" }).tls).toEqual({ certFile: "c", keyFile: "k" });
    expect(failure({ "tls-key": "k" }).message).toContain("--tls-key stands without --tls-cert");
  });

  it.each([
    ["port", "65536"],
    ["port", "-1"],
    ["port", "x"],
    ["port", ""],
    ["host", " "],
    ["host", "a\nb"],
    ["default-lease-ttl", "0"],
    ["default-lease-ttl", "1.5"],
    ["read-timeout", "0"],
    ["read-timeout", "10s"],
    ["write-timeout", "-1"],
    ["shutdown-timeout", "9999999"],
    ["lease-sweep-interval", "0"],
    ["max-locks", "many"],
    ["max-waiters", "-5"],
    ["auto-release-on-disconnect", "maybe"],
    ["insecure", ""],
    ["log-level", "loud"],
    ["log-format", "xml"],
    ["auth-token", "  "],
    ["nonsense", "1"],
  ])("refuse --%s %j by name", (name, value) => {
    const error = failure({ [name]: value });
    expect(error.code).toBe("BAD_OPTION");
    expect(error.message).toMatch(new RegExp(`^The option --${name} .*: .+\\.$`));
  });

  it("refuse a token that clients could not send, without showing it", () => {
    expect(failure({ "auth-token": "s3cret\nx" }).message).not.toContain("s3cret");
    expect(failure({ "auth-token": "s3cret".repeat(50) }).message).not.toContain("s3cret");
    expect(failure({ "auth-token": "a", "auth-token-file": "f" }).message).toContain(
      "one of the two",
    );
  });
});
