import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { systemClock } from "../../../../src/lock/time.ts";
import { Identities } from "../../../../src/server/identity/identities.ts";
import { createLogger } from "../../../../src/server/log.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { LocalIssuer } from "../../../helpers/identity/issuer.ts";
import { unixTest } from "../../../helpers/platform.ts";

let issuer: LocalIssuer;

beforeEach(async () => {
  issuer = await LocalIssuer.open();
});

afterEach(() => issuer.close());

unixTest("fifos")("a slow reading does not bring rules back", async () => {
  const directory = temporaryDirectory();
  const [file, jwks] = [join(directory, "policy.json"), join(directory, "keys.json")];
  const write = (keys: string, more: object = {}) => {
    const entry = { name: "ours", url: issuer.url, audience: "locks", ...more };
    const rule = { issuer: "ours", claims: { repository_id: "1" }, keys: [keys], may: ["claim"] };
    writeFileSync(file, JSON.stringify({ issuers: [entry], rules: [rule] }));
  };
  write("first");
  const log = createLogger({ level: "error", format: "text", now: Date.now, output: () => {} });
  const identities = await Identities.open(file, systemClock, log);
  const may = (key: string) =>
    identities.may({ issuer: "ours", claims: { repository_id: "1" } }, "claim", key);
  execFileSync("mkfifo", [jwks]);
  write("withdrawn", { jwks });
  const slow = identities.reload();
  // The pipe opens when the reading has its policy and comes to the keys, for which it waits.
  const pipe = await open(jwks, "w");
  write("second");
  await identities.reload();
  expect(may("second")).toBe(true);
  await pipe.writeFile(JSON.stringify(issuer.jwks));
  await pipe.close();
  await slow;
  expect([may("second"), may("withdrawn")]).toEqual([true, false]);
});
