import { hasControl, maySendSecret, quote } from "../../../lock/text.ts";
import { badStore } from "../../remote/errors.ts";

/** A repository whose refs are the locks: `github:owner/repo`, `git+https://host/path.git`. */
export interface GitAddress {
  /** As the user would write it, without a password: shown, saved and exported. */
  readonly shown: string;
  /** `https://host:8443`. */
  readonly origin: string;
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** `/owner/repo.git`, as it is sent. */
  readonly path: string;
  /** Where the URL names them, decoded. */
  readonly user: string | null;
  readonly password: string | null;
  /** What the names of the refs begin with: `refs/holdfast/v1/`. */
  readonly prefix: string;
  /** It is the forge that runs this job, else GitHub: the variables' token is for it and no other. */
  readonly isForge: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PREFIX = "refs/holdfast/v1/";
const GITHUB = "https://github.com";
const PREFIX_BYTES_LIMIT = 100;
/** A lock there would be a branch or a tag among those of the repository, and could meet one. */
const SHARED = ["refs/", "refs/heads/", "refs/tags/", "refs/remotes/"];

export function parseGitAddress(store: string, env: Environment): GitAddress {
  const text = store.trim();
  const [, address = "", query] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(text) ?? [];
  if (text.includes("#")) {
    throw badStore(shown(text), "has a fragment", "leave out the # and what follows it");
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
      shown(text),
      "names no repository, and GITHUB_REPOSITORY is not set",
      "write it as github:owner/repo",
    );
  }
  const path = repository.replace(/\.git$/, "");
  if (!/^[\w.-]+\/[\w.-]+$/.test(path) || /(^|\/)\.\.?(\/|$)/.test(path)) {
    throw badStore(
      shown(text),
      `names ${shown(repository)} as its repository`,
      "write it as github:owner/repo",
    );
  }
  const server = serverOf(env);
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw badStore(
      shown(text),
      `has no server, since GITHUB_SERVER_URL is ${quote(server)}`,
      `set it to a URL such as ${GITHUB}`,
    );
  }
  const base = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  return {
    ...endpointOf(url),
    // Another server is named, since a later command may run where the variable is not set.
    shown:
      (url.origin === GITHUB ? `github:${path}` : `git+${url.origin}${base}.git`) +
      suffixOf(prefix),
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
      shown(text),
      scheme === "" ? "is not complete" : "has no good host",
      "write it as git+https://host/path.git",
    );
  }
  const path = rest.slice(authority.length).replace(/\/+$/, "");
  if (path === "") {
    throw badStore(
      shown(text),
      "names no repository",
      `write it as git+${start}${url.host}/path.git`,
    );
  }
  if (!isPlainPath(path)) {
    throw badStore(
      shown(text),
      "has a path that servers read in several ways",
      "use plain names with single slashes between them",
    );
  }
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === null || password === null) {
    throw badStore(
      shown(text),
      "has a user or a password that is not percent-encoded",
      "write % as %25, @ as %40, : as %3A and / as %2F",
    );
  }
  const named = url.username === "" ? "" : `${url.username}@`;
  return {
    ...endpointOf(url),
    shown: `git+${start}${named}${url.host}${path}${suffixOf(prefix)}`,
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

function endpointOf(url: URL): Pick<GitAddress, "origin" | "host" | "port" | "secure"> {
  const secure = url.protocol === "https:";
  return {
    origin: url.origin,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (secure ? 443 : 80),
    secure,
  };
}

/** A proxy or server would collapse what is refused here, and two stores would become one. */
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
      shown(text),
      "has an option that is not known after the ?",
      `the one that is known is ?ref=${DEFAULT_PREFIX}`,
    );
  }
  const prefix = value.endsWith("/") ? value : `${value}/`;
  if (!isRefPrefix(prefix)) {
    throw badStore(
      shown(text),
      `has ${quote(value)} as the beginning of its refs`,
      "use plain names after refs/, such as refs/heads/locks/",
    );
  }
  if (SHARED.includes(prefix)) {
    throw badStore(
      shown(text),
      `puts its locks among the other refs in ${prefix}`,
      `name a place of their own, such as ${prefix === "refs/" ? DEFAULT_PREFIX : `${prefix}locks/`}`,
    );
  }
  return prefix;
}

/** Stricter than git: what every server and every shell takes as it is. */
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

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The store in a sentence about it: whatever stands before an @ may hold a password. */
function shown(text: string): string {
  const [, start = "", rest = text] = /^([a-z+]+:(?:\/\/)?)(.*)$/is.exec(text) ?? [];
  const at = rest.lastIndexOf("@");
  return quote(at === -1 ? text : `${start}…${rest.slice(at)}`, 120);
}
