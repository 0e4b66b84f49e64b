import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readGateConfig, termsFor } from "../../../../src/server/gate/config.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";

const pem = (bits: number) =>
  generateKeyPairSync("rsa", { modulusLength: bits }).privateKey.export({
    type: "pkcs1",
    format: "pem",
  }) as string;
const KEY = pem(2_048);
const SOUND = {
  appId: 1,
  privateKeyFile: "key.pem",
  webhookSecretFile: "secret",
  environments: { "Acme/app-*:Production": { key: "{repository}/{environment}", weight: "all" } },
};

function write(content: object | string, { key = KEY, secret = "0123456789abcdef" } = {}): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "key.pem"), key);
  writeFileSync(join(directory, "secret"), `${secret}\n`);
  const file = join(directory, "gate.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const read = (content: object | string, files = {}) => readGateConfig(write(content, files));
const withRule = (pattern: string, terms: object) => ({
  ...SOUND,
  environments: { [pattern]: terms },
});

it("finds the terms of an environment, whatever the case of its letters", async () => {
  const config = await read(SOUND);
  expect(config.web).toBe("https://github.com");
  expect(config.webhookSecret).toBe("0123456789abcdef");
  expect(termsFor(config, "ACME/app-1", "production")).toEqual({
    key: "ACME/app-1/production",
    slots: 1,
    weight: 1,
    priority: 0,
    ttl: 21_600_000,
  });
});

it("finds none for what only looks like it", async () => {
  const config = await read(SOUND);
  const strangers = [
    ["acme/app-1", "production2"],
    ["acme/app-1/x", "production"],
    ["evil/app-1", "production"],
    ["acme/app-1:production", "x"],
    ["__proto__/app-1", "production"],
    ["acme/app-1", "__proto__"],
  ] as const;
  for (const [repository, environment] of strangers)
    expect(termsFor(config, repository, environment)).toBeNull();
});

it("fills in names once: one that looks like a word of the key stays as it is", async () => {
  const config = await read(withRule("acme/*:**", { key: "{environment}" }));
  expect(termsFor(config, "acme/app", "{repository}")?.key).toBe("{repository}");
  expect(() => termsFor(config, "acme/app", "x".repeat(250))).toThrow(/at most 200/);
});

it("knows a GitHub of one's own", async () => {
  const config = await read({ ...SOUND, api: "https://git.acme.dev/api/v3/" });
  expect(config).toMatchObject({
    api: "https://git.acme.dev/api/v3",
    web: "https://git.acme.dev",
  });
});

it.each<[string, object | string, object, RegExp]>([
  ["no JSON", "{", {}, /is not JSON; write an object with appId/],
  ["a name twice", '{"appId":1,"appId":2}', {}, /has an object with "appId" twice/],
  ["an unknown field", { ...SOUND, more: 1 }, {}, /unknown field "more"/],
  ["no App", { ...SOUND, appId: null }, {}, /appId is no id of an App/],
  [
    "another key file",
    { ...SOUND, privateKeyFile: "nothing" },
    {},
    /privateKeyFile cannot be read/,
  ],
  ["no key", SOUND, { key: "text" }, /privateKeyFile is no private key/],
  ["a weak key", SOUND, { key: pem(1_024) }, /no RSA key of at least 2048 bits/],
  ["a short secret", SOUND, { secret: "short" }, /fewer than 16 characters/],
  [
    "a plain address",
    { ...SOUND, api: "http://api.github.com" },
    {},
    /write an https:\/\/ address/,
  ],
  ["a password in it", { ...SOUND, api: "https://a:b@x" }, {}, /write an https:\/\/ address/],
  ["no environments", { ...SOUND, environments: {} }, {}, /environments is empty/],
  ["any owner", withRule("*/app:production", { key: "k" }), {}, /write the owner in full/],
  ["no environment", withRule("acme/app", { key: "k" }), {}, /no pattern owner\/repository/],
  ["no key to lock", withRule("acme/app:p", {}), {}, /has no "key"/],
  [
    "another word in it",
    withRule("acme/app:p", { key: "{repo}/x" }),
    {},
    /key has "\{repo\}"; use/,
  ],
  ["a weight", withRule("acme/app:p", { key: "k", weight: 2 }), {}, /The weight "2" is not/],
  ["a priority", withRule("acme/app:p", { key: "k", priority: 101 }), {}, /priority.*The priority/],
  [
    "two numbers of slots",
    {
      ...SOUND,
      environments: { "acme/app:p": { key: "k", slots: 2 }, "acme/app:q": { key: "k" } },
    },
    {},
    /environments has the key "k" with slots 2 and with 1; give a key the same slots/,
  ],
  ["a short ttl", withRule("acme/app:p", { key: "k", ttl: "1m" }), {}, /ttl is too short/],
  ["a word for slots", withRule("acme/app:p", { key: "k", slots: [1] }), {}, /neither text nor/],
])("refuses %s with a sentence", async (_, content, files, sentence) => {
  const refusal = await read(content, files).catch((error: Error) => error);
  expect(refusal).toMatchObject({ code: "BAD_OPTION" });
  const { message } = refusal as Error;
  expect(message).toMatch(sentence);
  expect(message).toMatch(/^The file ".*" of --github-app.*[^.]\.$/);
  expect(message).not.toContain("short\n");
});
