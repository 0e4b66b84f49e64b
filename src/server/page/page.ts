import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { allowReading, type Handler, Problem, type ReplyHeaders } from "../http/exchange.ts";

/** Where the page's own files are served. Relative links lead there, also below a proxy's path. */
const FOLDER = "admin/page/";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/**
 * What the page may load and run: its own files alone. Owners, notes and keys are chosen by strangers,
 * and the scripts only ever set text. Should one of them fail to, nothing else can run, and nothing
 * can be sent elsewhere.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** One file of the page, ready to be sent. */
interface PageFile {
  readonly content: Buffer;
  readonly etag: string;
  readonly headers: ReplyHeaders;
}

/**
 * Serves the page at `/` and its styles and scripts below `/admin/page/`. They are the same for
 * every reader and hold no data: what the page shows, its scripts ask `/admin/` for.
 */
export function createPage(): Handler {
  const files = readFiles();
  return (exchange) => {
    allowReading(exchange);
    const { path } = exchange;
    const file = files.get(path === "" ? "index.html" : path.slice(FOLDER.length));
    if (file === undefined) {
      throw new Problem(404, "Not found", `The page has no file at ${exchange.rawPath}.`);
    }
    const { headers, content, etag } = file;
    if (exchange.header("if-none-match") === etag) return { status: 304, headers };
    return { status: 200, headers, body: content };
  };
}

/** Reads all files of the page once, by their paths below its folder. */
function readFiles(): Map<string, PageFile> {
  const folder = pageFolder();
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    files.set(name.split(sep).join("/"), describe(readFileSync(join(folder, name)), type));
  }
  return files;
}

/** Beside this file in the sources; in dist/ a folder of its own. */
function pageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return existsSync(join(here, "index.html")) ? here : join(dirname(here), "page");
}

function describe(content: Buffer, type: string): PageFile {
  const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
  const headers = {
    "content-type": type,
    "content-security-policy": CONTENT_POLICY,
    // A new server's page must come with the server, not from yesterday's cache.
    "cache-control": "no-cache",
    etag,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    // A link to a run must not tell a stranger's server the address of this one.
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
  return { content, etag, headers };
}
