import { LockError } from "../../../lock/errors.ts";
import { quote } from "../../../lock/text.ts";
import type { StoreOptions } from "../../options.ts";
import { badStore } from "../../remote/errors.ts";
import type { Named } from "../../remote/trouble.ts";
import { type Bad, hostOf, optionsOf, portOf, prefixIn } from "../address.ts";
import { checkSecret, formsOf } from "../credentials.ts";

/** A bucket and a place in it: `s3://bucket/prefix?endpoint=https://host&region=eu-central-1`. */
export interface S3Address extends Named {
  /** As the user would write it: shown, saved and exported. It never holds a secret. */
  readonly shown: string;
  readonly bucket: string;
  readonly region: string;
  readonly names: Names;
  /** `https://bucket.s3.eu-central-1.amazonaws.com`. */
  readonly origin: string;
  readonly port: number;
  readonly secure: boolean;
  /** What stands before the name of each object: `/`, or `/bucket/` if the host name has no bucket. */
  readonly base: string;
  /** Amazon's own; else an S3-compatible server. */
  readonly isAws: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Amazon's first region, which other servers take by default. */
const DEFAULT_REGION = "us-east-1";
const EXAMPLE = "s3://bucket/prefix";
const OPTIONS = ["endpoint", "region"];

export function parseS3Address(store: string, env: Environment): S3Address {
  const text = store.trim();
  const [, bucket = "", path = "", query = "", rest = ""] =
    /^s3:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(.*)$/is.exec(text) ?? [];
  // Not shown: what stands before an @ may be a secret.
  if (`${bucket}${path}${query}`.includes("@")) throw holdsCredentials();
  const bad = (problem: string, advice: string) => badStore(quote(text, 200), problem, advice);
  if (rest !== "") throw bad("has a fragment", "leave out the # and what follows it");
  if (bucket === "") throw bad("names no bucket", `write it as ${EXAMPLE}`);
  if (!isBucket(bucket)) {
    const advice =
      "use the bucket's own name: 3 to 63 small letters, digits, dots and hyphens, with a letter or a digit at both ends";
    throw bad(`has ${quote(bucket)} as its bucket`, advice);
  }
  const prefix = prefixIn(path, "._-", bad);
  const options = optionsOf(query, OPTIONS, bad);
  const region = regionOf(options.get("region") ?? regionIn(env), bad);
  const endpoint = endpointOf(options, env, bad);
  const isAws = endpoint === null;
  const url = endpoint ?? new URL(`https://s3.${region}.amazonaws.com${suffixOf(region)}`);
  // A certificate for *.s3.… does not cover a bucket with dots, and few others answer to such names.
  const isInHost = isAws && !bucket.includes(".");
  if (isInHost) url.hostname = `${bucket}.${url.hostname}`;
  const named = new URLSearchParams({
    // A later command may run without the variables.
    ...(isAws ? {} : { endpoint: url.origin + url.pathname.replace(/\/$/, "") }),
    ...(isAws || region !== DEFAULT_REGION ? { region } : {}),
  });
  // Slashes and colons need no encoding in a query, and people read it.
  const shown = `s3://${bucket}/${prefix}${named.size === 0 ? "" : `?${readable(named)}`}`;
  return {
    shown,
    called: `The S3 store ${shown}`,
    withoutTls: "an endpoint with http://",
    check: "the endpoint",
    bucket,
    region,
    names: new Names(prefix),
    origin: url.origin,
    host: hostOf(url),
    port: portOf(url),
    secure: url.protocol === "https:",
    base: `${url.pathname.replace(/\/$/, "")}/${isInHost ? "" : `${bucket}/`}`,
    isAws,
  };
}

function holdsCredentials(): Error {
  return badStore(
    quote("s3://…"),
    "holds an @ and perhaps credentials, and a store's URL is shown in logs",
    "leave them out and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or HOLDFAST_TOKEN to access-key:secret-key",
  );
}

/** Amazon's rules for buckets, which other servers have taken over. */
function isBucket(name: string): boolean {
  const isPlain = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !/\.\.|\.-|-\./.test(name);
  return isPlain && !/^\d+\.\d+\.\d+\.\d+$/.test(name);
}

function regionIn(env: Environment): string {
  return env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || DEFAULT_REGION;
}

function regionOf(region: string, bad: Bad): string {
  // The region becomes a part of a host name.
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(region) && region.length <= 63) return region;
  const advice = "write it as Amazon does, such as eu-central-1, or leave it out";
  throw bad(`has the region ${quote(region)} (from ?region= or AWS_REGION)`, advice);
}

/** Null: Amazon's own. */
function endpointOf(options: Map<string, string>, env: Environment, bad: Bad): URL | null {
  const given = options.get("endpoint");
  const text =
    given ?? (env.AWS_ENDPOINT_URL_S3?.trim() || env.AWS_ENDPOINT_URL?.trim() || undefined);
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isGood =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.hostname !== "" &&
    url.port !== "0" &&
    `${url.username}${url.password}${url.search}${url.hash}` === "" &&
    /^(\/[\w.-]+)*\/?$/.test(url.pathname);
  if (isGood) return url;
  const from = given === undefined ? "in AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL" : "in ?endpoint=";
  const shown = text.includes("@") ? "with an @ in it" : quote(text);
  throw bad(
    `has an endpoint ${from} that is no address (${shown})`,
    "write it with its scheme and without credentials, such as https://minio.example.com:9000",
  );
}

function suffixOf(region: string): string {
  return region.startsWith("cn-") ? ".cn" : "";
}

function readable(query: URLSearchParams): string {
  return query.toString().replaceAll("%3A", ":").replaceAll("%2F", "/");
}

/** Who asks, by Amazon's names. */
export interface S3Login {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The token of credentials that end, such as those of a role that a job has taken. */
  readonly sessionToken?: string;
  readonly secrets: readonly string[];
}

/**
 * The store's token is `access-key:secret-key`. Without it the variables of Amazon's own tools count. Profiles,
 * instance roles and web identities are not looked up: `aws configure export-credentials --format env` makes
 * variables of them.
 */
export function loginOf(
  { shown }: S3Address,
  { token }: Pick<StoreOptions, "token">,
  env: Environment,
): S3Login {
  const given = token?.trim() || null;
  const found = given === null ? fromVariables(env) : fromToken(given);
  if (found === null) {
    throw new LockError(
      "BAD_OPTION",
      given === null
        ? `The store ${shown} needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN where they have one), or HOLDFAST_TOKEN or the token input to access-key:secret-key.`
        : `The token for ${shown} has no colon in it: give it as access-key:secret-key.`,
    );
  }
  checkSecret(Object.values(found).join(""));
  return { ...found, secrets: formsOf([found.secretAccessKey, found.sessionToken]) };
}

type Keys = Omit<S3Login, "secrets">;

function fromToken(token: string): Keys | null {
  const end = token.indexOf(":");
  if (end < 1 || end === token.length - 1) return null;
  return { accessKeyId: token.slice(0, end), secretAccessKey: token.slice(end + 1) };
}

function fromVariables(env: Environment): Keys | null {
  const [accessKeyId, secretAccessKey, sessionToken] = [
    env.AWS_ACCESS_KEY_ID,
    env.AWS_SECRET_ACCESS_KEY,
    env.AWS_SESSION_TOKEN,
  ].map((each) => each?.trim() ?? "");
  if (!accessKeyId || !secretAccessKey) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

/** The longest name between two slashes: servers that keep objects as files allow 255 bytes. */
const PART_LENGTH = 200;
const END = ".json";

/**
 * The names of a store's objects. No name of one store begins with another store's names. They have small
 * letters, digits, `-`, `_` and `.`, which every URL, signature, proxy and disk reads in one way.
 */
export class Names {
  readonly #prefix: string;

  /** `prefix`: without a slash at its end. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get documents(): string {
    return `${this.#prefix}/locks/`;
  }

  get sessions(): string {
    return `${this.#prefix}/sessions/`;
  }

  /** The object on which the server's conditions are tried. */
  get probe(): string {
    return `${this.#prefix}/probe${END}`;
  }

  document(key: string): string {
    return this.documents + nameOf(key);
  }

  session(id: string): string {
    return this.sessions + nameOf(id);
  }

  /** The key of a document's name; null if it is not this store's. */
  keyOf(name: string): string | null {
    if (!name.startsWith(this.documents) || !name.endsWith(END)) return null;
    const bytes = name
      .slice(this.documents.length, -END.length)
      .replaceAll("_/", "")
      .replaceAll("_", "%");
    try {
      const key = decodeURIComponent(bytes);
      return key !== "" && this.document(key) === name ? key : null;
    } catch {
      return null;
    }
  }
}

/**
 * A name in which everything that is not plain is `_` and two hex digits a byte. Capitals are not plain: a
 * server on a disk that does not tell them apart must not make one lock of two keys. A long name goes on behind
 * `_/`, which ends no whole name, so that no object stands where another one needs a folder.
 */
function nameOf(text: string): string {
  const bytes = Buffer.from(text, "utf8");
  let name = "";
  let length = 0;
  bytes.forEach((byte, at) => {
    const character = String.fromCharCode(byte);
    const isDot = character === "." && at > 0;
    const isPlain = isDot || /[a-z0-9-]/.test(character);
    const part = isPlain ? character : `_${byte.toString(16).padStart(2, "0")}`;
    if (length + part.length > PART_LENGTH) {
      name += "_/";
      length = 0;
    }
    name += part;
    length += part.length;
  });
  return name + END;
}
