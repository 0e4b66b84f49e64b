import type { IncomingMessage, ServerResponse } from "node:http";
import { hasControl } from "../../lock/text.ts";
import { badRequest, Exchange } from "./exchange.ts";

const PATH_LIMIT = 4_096;

/** Matches segments of plain characters that do not begin with a dot: the fast way through. */
const PLAIN = /^(?:\/[\w!$&'()*+,:;=@~-][\w.!$&'()*+,:;=@~-]*)+$/;

/** Matches paths that end in a key which an operator names: any key, and only the lock table is asked for it. */
const OPERATORS_KEY = /^admin\/(?:$|(?:locks|history|freezes)\/)/;

const PRINTABLE = /^[\u0021-\u007e]*$/;

/** What a path leads to: a file or lock, or an area of the server's own. */
export type Area = "page" | "session" | "admin" | "health" | "metrics" | "reserved" | "file";

/** Takes a request apart. Throws 400 for a path that is none. */
export function readExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const url = request.url as string;
  const mark = url.indexOf("?");
  const rawPath = mark === -1 ? url : url.slice(0, mark);
  const rawQuery = mark === -1 ? "" : url.slice(mark + 1);
  return new Exchange(request, response, rawPath, decodePath(rawPath), rawQuery);
}

/**
 * Decodes the path once, without its first slash. Keys never reach a filesystem, so dot segments lead
 * nowhere here; they are refused all the same, since a proxy in between may read them as another path.
 */
export function decodePath(rawPath: string): string {
  if (rawPath.length <= PATH_LIMIT && PLAIN.test(rawPath)) return rawPath.slice(1);
  if (!rawPath.startsWith("/")) {
    throw badRequest("The request names no path: it has to begin with a slash.");
  }
  if (!PRINTABLE.test(rawPath) || rawPath.includes("#")) {
    throw badRequest("The path contains a character that has to be percent-encoded.");
  }
  const path = decode(rawPath.slice(1));
  if (path.length > PATH_LIMIT) {
    throw badRequest(`The path has ${path.length} characters: use at most ${PATH_LIMIT}.`);
  }
  if (hasControl(path)) throw badRequest("The path contains a control character.");
  if (path !== "" && !OPERATORS_KEY.test(path)) checkSegments(path);
  return path;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest("The path is not percent-encoded UTF-8: encode each byte as %XX.");
  }
}

/** A backslash is no separator here, but it is for others on the way. */
function checkSegments(path: string): void {
  for (const segment of path.split(/[/\\]/)) {
    if (segment === "." || segment === "..") {
      throw badRequest("The path contains a dot segment: name the file itself.");
    }
  }
  if (path.startsWith("/") || path.endsWith("/") || path.includes("//")) {
    throw badRequest("The path contains an empty segment, or ends with a slash: leave it out.");
  }
}

export function areaOf(path: string): Area {
  switch (path) {
    case "":
      return "page";
    case "auth/session":
      return "session";
    case "healthz":
      return "health";
    case "metrics":
      return "metrics";
    case "auth":
    case "admin":
      return "reserved";
  }
  if (path.startsWith("a")) {
    if (path.startsWith("admin/page/")) return "page";
    if (path.startsWith("admin/")) return "admin";
    if (path.startsWith("auth/")) return "reserved";
  }
  return "file";
}
