import { hasControl, maySendSecret, quote } from "../../../lock/text.ts";
import type { StoreOptions } from "../../options.ts";
import { badStore } from "../../remote/errors.ts";
import type { Named } from "../../remote/trouble.ts";
import { decoded, hostOf, portOf, withoutUserinfo } from "../address.ts";
import { checkSecret, credentialsOf, formsOf } from "../credentials.ts";

/** A repository whose refs are the locks: `github:owner/repo`, `git+https://host/path.git`. */
export interface GitAddress extends Named {
  /** As the user would write it, without a password: shown, saved and exported. */
  readonly shown: string;
  /** `https://host:8443`. */
  readonly origin: string;
  readonly port: number;
  readonly secure: boolean;
  /** `/owner/repo.git`, as it is sent. */
  readonly path: string;
  /** User and password, decoded, if the URL names them. */
  readonly user: string | null;
  readonly password: string | null;
  /** What the names of the refs begin with: `refs/holdfast/v1/`. */
  readonly prefix: string;
  /**
   * Whether it is the forge that runs this job, or else GitHub: the variables' token is for that server alone.
   */
  readonly isForge: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PREFIX = "refs/holdfast/v1/";
const GITHUB = "https://github.com";
const PREFIX_BYTES_LIMIT = 100;
/** A lock there would be a branch or a tag of the repository, or could meet one. */
const SHARED = ["refs/", "refs/heads/", "refs/tags/", "refs/remotes/"];

export function parseGitAddress(store: string, env: Environment): GitAddress {
  const text = store.trim();
  const [, address = "", query] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(text) ?? [];
  if (text.includes("#")) {
    throw badStore(withoutUserinfo(text), "has a fragment", "leave out the # and what follows it");
  }
  const prefix = prefixOf(query, text);
  return /^github(:|$)/i.test(address)
    ? ofGithub(address, prefix, text, env)
    : ofUrl(address, prefix, text, env);
}

function ofGithub(address: string, prefix: string, text: string, env: Environment): GitAddress {
  const named = address.slice("github:".length).replace(/^\/+|\/+$/g, "");
  const repository = named || (env.GITHUB_REPOSITORY ?? "").trim();
  if (repository === "") {
    throw badStore(
      withoutUserinfo(text),
      "names no repository, and GITHUB_REPOSITORY is not set",
      "write it as github:owner/repo",
    );
  }
  const path = repository.replace(/\.git$/, "");
  if (!/^[\w.-]+\/[\w.-]+$/.test(path) || /(^|\/)\.\.?(\/|$)/.test(path)) {
    throw badStore(
      withoutUserinfo(text),
      `names ${withoutUserinfo(repository)} as its repository`,
      "write it as github:owner/repo",
    );
  }
  const server = serverOf(env);
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw badStore(
      withoutUserinfo(text),
      `has no server, since GITHUB_SERVER_URL is ${quote(server)}`,
      `set it to a URL such as ${GITHUB}`,
    );
  }
  const base = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  // A server other than GitHub is named: a later command may run where the variable is not set.
  const place = url.origin === GITHUB ? `github:${path}` : `git+${url.origin}${base}.git`;
  return {
    ...serverAt(url, place + suffixOf(prefix)),
    path: `${base}.git`,
    user: null,
    password: null,
    prefix,
    isForge: true,
  };
}

function ofUrl(address: string, prefix: string, text: string, env: Environment): GitAddress {
  const [, scheme = "", rest = ""] = /^git\+(https?):\/\/(.*)$/is.exec(address) ?? [];
  const [authority = ""] = /^[^/\\]*/.exec(rest) ?? [];
  const start = `${scheme.toLowerCase()}://`;
  const url = URL.canParse(start + authority) ? new URL(start + authority) : null;
  if (scheme === "" || url === null || url.hostname === "" || url.port === "0") {
    throw badStore(
      withoutUserinfo(text),
      scheme === "" ? "is not complete" : "has no good host",
      "write it as git+https://host/path.git",
    );
  }
  const path = rest.slice(authority.length).replace(/\/+$/, "");
  if (path === "") {
    throw badStore(
      withoutUserinfo(text),
      "names no repository",
      `write it as git+${start}${url.host}/path.git`,
    );
  }
  if (!isPlainPath(path)) {
    throw badStore(
      withoutUserinfo(text),
      "has a path that servers read in several ways",
      "use plain names with single slashes between them",
    );
  }
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === null || password === null) {
    throw badStore(
      withoutUserinfo(text),
      "has a user or a password that is not percent-encoded",
      "write % as %25, @ as %40, : as %3A and / as %2F",
    );
  }
  const named = url.username === "" ? "" : `${url.username}@`;
  return {
    ...serverAt(url, `git+${start}${named}${url.host}${path}${suffixOf(prefix)}`),
    path,
    user: user || null,
    password: password || null,
    prefix,
    isForge: maySendSecret(url.origin, URL.parse(serverOf(env))?.origin ?? null),
  };
}

function serverOf(env: Environment): string {
  return (env.GITHUB_SERVER_URL ?? "").trim() || GITHUB;
}

/** The parts of an address that follow from its server's URL, and from how the store is shown. */
function serverAt(url: URL, shown: string) {
  return {
    shown,
    called: `The git server of ${shown}`,
    withoutTls: "git+http://",
    check: "host and path",
    origin: url.origin,
    host: hostOf(url),
    port: portOf(url),
    secure: url.protocol === "https:",
  };
}

/** Refuses parts that a proxy or server would collapse: two stores would become one. */
function isPlainPath(path: string): boolean {
  return path
    .slice(1)
    .split("/")
    .every((segment) => {
      const plain = decoded(segment);
      return (
        plain !== null &&
        plain !== "" &&
        plain !== "." &&
        plain !== ".." &&
        !/[/\\?#\s]/.test(plain) &&
        !hasControl(plain)
      );
    });
}

function prefixOf(query: string | undefined, text: string): string {
  if (query === undefined || query === "") return DEFAULT_PREFIX;
  const options = [...new URLSearchParams(query)];
  const [[name = "", value = ""] = []] = options;
  if (options.length !== 1 || name !== "ref") {
    throw badStore(
      withoutUserinfo(text),
      "has an option that is not known after the ?",
      `the one that is known is ?ref=${DEFAULT_PREFIX}`,
    );
  }
  const prefix = value.endsWith("/") ? value : `${value}/`;
  if (!isRefPrefix(prefix)) {
    throw badStore(
      withoutUserinfo(text),
      `has ${quote(value)} as the beginning of its refs`,
      "use plain names after refs/, such as refs/heads/locks/",
    );
  }
  if (SHARED.includes(prefix)) {
    throw badStore(
      withoutUserinfo(text),
      `puts its locks among the other refs in ${prefix}`,
      `name a place of their own, such as ${prefix === "refs/" ? DEFAULT_PREFIX : `${prefix}locks/`}`,
    );
  }
  return prefix;
}

/** Stricter than git: a name that every server and every shell takes as it is. */
function isRefPrefix(prefix: string): boolean {
  if (prefix.length > PREFIX_BYTES_LIMIT || !prefix.startsWith("refs/")) return false;
  return prefix
    .slice(0, -1)
    .split("/")
    .every((part) => /^[\w-]+(\.[\w-]+)*$/.test(part) && !part.endsWith(".lock"));
}

function suffixOf(prefix: string): string {
  return prefix === DEFAULT_PREFIX ? "" : `?ref=${prefix}`;
}

/** Who asks, as the server is told; and the secrets that must never be shown. */
export interface GitLogin {
  /** The header's value; null: nobody in particular. */
  readonly authorization: string | null;
  /** The forge made the token for this job: it ends with the job or before. */
  readonly isJobs: boolean;
  readonly secrets: readonly string[];
}

/** The user of a bare token. GitHub wants this one, the others take any. */
const TOKEN_USER = "x-access-token";

/**
 * The password is the URL's own, else the store's token, else the forge's variables. The variables are for the
 * forge alone: a token of GitHub's must not be sent to another server.
 */
export function loginOf(
  address: GitAddress,
  { token, forgeToken }: Pick<StoreOptions, "token" | "forgeToken">,
  env: Environment,
): GitLogin {
  const given = forgeToken?.trim() || env.GITHUB_TOKEN?.trim() || env.GH_TOKEN?.trim();
  const forge = address.isForge ? given : undefined;
  const secret = token?.trim() || forge;
  const { user, password } = credentialsOf(address, secret ? { token: secret } : {});
  if (password === null) return { authorization: null, isJobs: false, secrets: [] };
  checkSecret(`${user ?? ""}${password}`);
  const pair = Buffer.from(`${user ?? TOKEN_USER}:${password}`).toString("base64");
  const isJobs = address.password === null && secret === forge;
  return { authorization: `Basic ${pair}`, isJobs, secrets: formsOf([pair, secret, password]) };
}
