import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isLockError, LockError, messageOf } from "../../lock/errors.ts";
import { parseKey } from "../../lock/key.ts";
import {
  parsePriority,
  parseSlots,
  parseTtl,
  parseWeight,
  RUN_TTL_MS,
  shareOf,
} from "../../lock/request.ts";
import { quote } from "../../lock/text.ts";
import { matchesGlob } from "../identity/glob.ts";
import { isSafeUrl, JsonReader } from "../json-reader.ts";

/** What a run that wants into an environment claims. Times are in milliseconds. */
export interface GateTerms {
  readonly key: string;
  readonly slots: number;
  readonly weight: number;
  readonly priority: number;
  readonly ttl: number;
}

interface Rule extends GateTerms {
  /** Both in small letters, as GitHub compares names. */
  readonly repository: string;
  readonly environment: string;
}

/** The file of --github-app: which App this server is, and for which environments it is the gate. */
export interface GateConfig {
  readonly appId: string;
  readonly privateKey: KeyObject;
  readonly webhookSecret: string;
  /** Where the App's tokens go, and nowhere else. Without a slash at its end. */
  readonly api: string;
  /** The server's pages, as `GITHUB_SERVER_URL` names them in a job. */
  readonly web: string;
  readonly rules: readonly Rule[];
}

const API = "https://api.github.com";
const PATTERN = /^([^/:*]+)\/([^/:]+):(.+)$/;
/** A secret that can be guessed would let strangers claim every lock that the file names. */
const SECRET_LEAST = 16;
const KEY_BITS_LEAST = 2_048;
const TTL_LEAST_MS = 5 * 60_000;

/** Reads the file and those that it names. Throws BAD_OPTION that names the mistake and its place. */
export async function readGateConfig(file: string): Promise<GateConfig> {
  const reader = new GateReader(`file ${quote(file, 200)} of --github-app`, "see docs/gate.md");
  const text = await readNamed(reader, "", file);
  const needed = ["appId", "privateKeyFile", "webhookSecretFile", "environments"];
  const root = reader.parse(text, needed, ["api"]);
  const beside = (field: "privateKeyFile" | "webhookSecretFile") =>
    readNamed(reader, field, resolve(dirname(file), reader.text(root[field], field)));
  const { appId } = root;
  if (!/^[\w.-]{1,100}$/.test(String(appId)) || !["string", "number"].includes(typeof appId)) {
    throw reader.bad("appId", "is no id of an App", "write the number on the App's page");
  }
  const api = readApi(reader, root.api);
  const rules = Object.entries(reader.object(root.environments, "environments")).map(
    ([pattern, terms]) => reader.rule(pattern, terms),
  );
  if (rules.length === 0) {
    throw reader.bad("environments", "is empty", 'name one, such as "acme/app:production"');
  }
  for (const { key, slots } of rules) {
    const other = rules.find((each) => each.key === key && each.slots !== slots);
    if (other === undefined || key.includes("{")) continue;
    const problem = `has the key ${quote(key)} with slots ${slots} and with ${other.slots}`;
    throw reader.bad("environments", problem, "give a key the same slots everywhere");
  }
  return {
    appId: String(appId),
    privateKey: readPrivateKey(reader, await beside("privateKeyFile")),
    webhookSecret: readSecret(reader, await beside("webhookSecretFile")),
    api,
    web: webOf(api),
    rules,
  };
}

/** What a run claims that wants into the environment; null: the file has no rule for it. Throws BAD_KEY. */
export function termsFor(
  { rules }: Pick<GateConfig, "rules">,
  repository: string,
  environment: string,
): GateTerms | null {
  const rule = rules.find(
    (each) =>
      matchesGlob(each.repository, repository.toLowerCase()) &&
      matchesGlob(each.environment, environment.toLowerCase()),
  );
  if (rule === undefined) return null;
  const { slots, weight, priority, ttl } = rule;
  const names: Record<string, string> = { repository, environment };
  // In one pass: what an environment is called must not name a further word.
  const key = rule.key.replace(/\{(repository|environment)\}/g, (_, name: string) =>
    String(names[name]),
  );
  return { key: parseKey(key), slots, weight, priority, ttl };
}

async function readNamed(reader: JsonReader, place: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw reader.bad(
      place,
      `cannot be read: ${messageOf(error)}`,
      "name a file that is there",
      error,
    );
  }
}

function readApi(reader: GateReader, value: unknown): string {
  const api = (value === undefined ? API : reader.text(value, "api")).replace(/\/+$/, "");
  const isPlain = isSafeUrl(api) && !/[?#@]/.test(api);
  if (isPlain) return api;
  throw reader.bad("api", `is ${quote(api)}`, `write an https:// address such as ${API}`);
}

/** `https://api.github.com` is that of github.com, `https://git.acme.dev/api/v3` that of a server of one's own. */
function webOf(api: string): string {
  const { protocol, host } = new URL(api);
  return `${protocol}//${host.replace(/^api\./, "")}`;
}

function readPrivateKey(reader: GateReader, text: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (error) {
    throw reader.bad(
      "privateKeyFile",
      "is no private key",
      "download one from the App's page and name its .pem file",
      error,
    );
  }
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "rsa" && modulusLength >= KEY_BITS_LEAST) return key;
  throw reader.bad(
    "privateKeyFile",
    `is no RSA key of at least ${KEY_BITS_LEAST} bits`,
    "name the .pem file that GitHub made for the App",
  );
}

function readSecret(reader: GateReader, text: string): string {
  const secret = text.trim();
  if (secret.length >= SECRET_LEAST) return secret;
  throw reader.bad(
    "webhookSecretFile",
    `has fewer than ${SECRET_LEAST} characters`,
    "make one with `openssl rand -hex 32`, and give the App the same",
  );
}

class GateReader extends JsonReader {
  rule(pattern: string, value: unknown): Rule {
    const place = `environments[${quote(pattern, 100)}]`;
    const parts = PATTERN.exec(pattern.toLowerCase());
    if (parts === null) {
      throw this.bad(
        place,
        "is no pattern owner/repository:environment",
        "write the owner in full, since anybody can install an App; the other two may have * in them",
      );
    }
    const [, owner, name, environment] = parts;
    const fields = this.object(value, place, ["key"], ["slots", "weight", "priority", "ttl"]);
    const read = <T>(field: string, parse: (text: string) => T): T | undefined => {
      const given = fields[field];
      if (given === undefined) return undefined;
      if (typeof given === "string" || typeof given === "number") {
        return this.#explained(`${place}.${field}`, () => parse(String(given)));
      }
      throw this.bad(`${place}.${field}`, "is neither text nor number", "see docs/gate.md");
    };
    const key = this.text(fields.key, `${place}.key`);
    this.#explained(`${place}.key`, () => parseKey(key));
    const [word] = /\{(?!(?:repository|environment)\})[^}]*\}/.exec(key) ?? [];
    if (word !== undefined) {
      throw this.bad(`${place}.key`, `has ${quote(word)}`, "use {repository} and {environment}");
    }
    const share = this.#explained(place, () =>
      shareOf({
        slots: read("slots", parseSlots),
        weight: read("weight", parseWeight),
        priority: read("priority", parsePriority),
      }),
    );
    const ttl = read("ttl", parseTtl) ?? RUN_TTL_MS;
    if (ttl < TTL_LEAST_MS) {
      throw this.bad(`${place}.ttl`, "is too short for a run to get its runner", "use at least 5m");
    }
    const { slots, weight, priority } = share;
    const repository = `${owner}/${name}`;
    return { repository, environment: environment as string, key, slots, weight, priority, ttl };
  }

  /** What a value's own check says, with the place where it stands. */
  #explained<T>(place: string, check: () => T): T {
    try {
      return check();
    } catch (error) {
      if (!isLockError(error) || error.code === "BAD_OPTION") throw error;
      const why = error.message.replace(/\.$/, "");
      throw new LockError("BAD_OPTION", `${this.begins(place)}: ${why}.`, { cause: error });
    }
  }
}
