import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
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

/** One file of the page in one encoding, ready to be sent. */
interface PageFile {
  readonly content: Buffer;
  readonly etag: string;
  readonly headers: ReplyHeaders;
}

const ENCODINGS = {
  br: (content: Buffer) => brotliCompressSync(content),
  gzip: (content: Buffer) => gzipSync(content, { level: 9 }),
  identity: (content: Buffer) => content,
};
type Encoding = keyof typeof ENCODINGS;
/** A file of the page in each encoding that was asked for so far: it is compressed once. */
class Encoded {
  readonly #content: Buffer;
  readonly #type: string;
  readonly #made = new Map<Encoding, PageFile>();

  constructor(content: Buffer, type: string) {
    this.#content = content;
    this.#type = type;
  }

  in(encoding: Encoding): PageFile {
    let file = this.#made.get(encoding);
    if (file === undefined) {
      file = describe(ENCODINGS[encoding](this.#content), this.#type, encoding);
      this.#made.set(encoding, file);
    }
    return file;
  }
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
    const { headers, content, etag } = file.in(encodingFor(exchange.header("accept-encoding")));
    if (exchange.header("if-none-match") === etag) return { status: 304, headers };
    return { status: 200, headers, body: content };
  };
}

/** The best encoding that a reader takes. One that is refused with q=0 is not taken, as RFC 9110 has it. */
function encodingFor(accepted = ""): Encoding {
  const taken = accepted
    .toLowerCase()
    .split(",")
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map((part) => part.split(";")[0]?.trim());
  return taken.includes("br") ? "br" : taken.includes("gzip") ? "gzip" : "identity";
}

/** Says durations as the command line does, whose file it is: among the sources it stands there alone. */
const DURATION = "scripts/duration.js";

/** Reads all files of the page once, by their paths below its folder. */
function readFiles(): Map<string, Encoded> {
  const folder = pageFolder();
  const files = new Map<string, Encoded>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    files.set(name.split(sep).join("/"), new Encoded(readFileSync(join(folder, name)), type));
  }
  if (!files.has(DURATION)) {
    const shared = join(folder, "../../lock/people/duration.js");
    files.set(DURATION, new Encoded(readFileSync(shared), TYPES[".js"] as string));
  }
  return files;
}

/** Beside this file in the sources; in dist/ a folder of its own. */
function pageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return existsSync(join(here, "index.html")) ? here : join(dirname(here), "page");
}

function describe(content: Buffer, type: string, encoding: Encoding): PageFile {
  const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
  const headers = {
    "content-type": type,
    ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
    vary: "accept-encoding",
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
