import { encodeWireKey } from "../../../wire/key.ts";
import type { FileConditions, FileInfo, FileResult } from "../../storage/types.ts";
import { requireSession, rightsOf } from "../auth.ts";
import { checkLength, withBody } from "../body.ts";
import type { DoorState } from "../context.ts";
import {
  badRequest,
  type Exchange,
  Problem,
  problem,
  type Reply,
  type WholeReply,
  wrongMethod,
} from "../exchange.ts";
import { judge, readConditions } from "./conditions.ts";
import { checkWritable, withWriteLock } from "./write-lock.ts";

const TYPE_LIMIT = 255;
const DEFAULT_TYPE = "application/octet-stream";

/**
 * Headers of content that users wrote. It must not act in the name of this server: in a sandbox
 * without scripts a page has no origin, so it can use no cookie.
 */
const CONTENT_HEADERS = {
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "same-origin",
};

/** Answers a path without `?lock=`: it is the file itself. */
export function serveFile(exchange: Exchange, state: DoorState): Promise<Reply> {
  switch (exchange.method) {
    case "GET":
    case "HEAD":
      return read(exchange, state);
    case "PUT":
      return write(exchange, state);
    case "DELETE":
      return remove(exchange, state);
    default:
      throw wrongMethod(exchange, "GET, HEAD, PUT, DELETE");
  }
}

async function read(exchange: Exchange, state: DoorState): Promise<Reply> {
  rightsOf(requireSession(exchange, state), state)?.demand("look", exchange.path);
  const conditions = readConditions(exchange, state.clock.now());
  const { storage } = state;
  const path = encodeWireKey(exchange.path);
  const file =
    exchange.method === "HEAD" ? await storage.statFile(path) : await storage.readFile(path);
  if (file === null) return missing(exchange);
  const size = "content" in file ? file.content.length : file.size;
  const verdict = judge({ ...file, size }, conditions);
  if (verdict === 412) return unmet(exchange);
  const headers = { ...fileHeaders(file), ...CONTENT_HEADERS };
  if (verdict === 304) return { status: 304, headers };
  const described = { ...headers, "content-type": file.type, "content-length": size };
  return "content" in file
    ? { status: 200, headers: described, body: file.content }
    : { status: 200, headers: described };
}

async function write(exchange: Exchange, state: DoorState): Promise<Reply> {
  const session = requireSession(exchange, state);
  rightsOf(session, state)?.demand("claim", exchange.path);
  const type = readType(exchange);
  const conditions = readConditions(exchange, state.clock.now());
  checkLength(exchange, state.maxBody);
  const key = encodeWireKey(exchange.path);
  // Said before the body is sent, where the client waits for that; what counts is said after.
  const taken = checkWritable(exchange, key, session, state);
  if (taken !== null) return taken;
  return state.sessions.during(session, () =>
    withBody(exchange, state.maxBody, state.bodies, (content) =>
      withWriteLock(exchange, key, session, state, async (fence) => {
        const modifiedAt = state.clock.now();
        const result = await state.storage.writeFile(
          key,
          { content, type, modifiedAt },
          guarded(conditions, fence),
        );
        const reply = written(exchange, result, conditions);
        return { reply, done: result.outcome === "created" || result.outcome === "updated" };
      }),
    ),
  );
}

async function remove(exchange: Exchange, state: DoorState): Promise<Reply> {
  const session = requireSession(exchange, state);
  rightsOf(session, state)?.demand("claim", exchange.path);
  const conditions = readConditions(exchange, state.clock.now());
  const key = encodeWireKey(exchange.path);
  return withWriteLock(exchange, key, session, state, async (fence) => {
    const result = await state.storage.deleteFile(key, guarded(conditions, fence));
    if (result.outcome === "deleted") return { reply: { status: 204 }, done: false };
    if (result.outcome === "missing") return { reply: missing(exchange), done: false };
    return { reply: written(exchange, result, conditions), done: false };
  });
}

/**
 * Adds the fence of an explicit lock, also where the client names none: the write arrives at the
 * storage a moment later, and the lock may be another session's by then.
 */
function guarded(conditions: FileConditions, fence: number | null): FileConditions {
  return conditions.fence !== undefined || fence === null ? conditions : { ...conditions, fence };
}

function written(exchange: Exchange, result: FileResult, conditions: FileConditions): WholeReply {
  switch (result.outcome) {
    case "created":
      return saved(exchange, 201, "File created", result.info);
    case "updated":
      return saved(exchange, 200, "File updated", result.info);
    case "precondition":
      return result.fence === undefined
        ? unmet(exchange)
        : outfenced(exchange, conditions.fence ?? null, result.fence);
    default:
      return problem(
        507,
        "Insufficient storage",
        `There is no room to store ${exchange.rawPath}: delete other files first.`,
      );
  }
}

function saved({ rawPath }: Exchange, status: number, message: string, info: FileInfo): WholeReply {
  const { size, etag, fence } = info;
  return {
    status,
    headers: fileHeaders(info),
    body: { message, path: rawPath, size, etag, fence },
  };
}

function fileHeaders({ etag, modifiedAt, fence }: Omit<FileInfo, "size">) {
  return {
    etag,
    "last-modified": new Date(modifiedAt).toUTCString(),
    ...(fence === null ? {} : { "holdfast-fence": fence }),
  };
}

function missing({ rawPath }: Exchange): WholeReply {
  return problem(404, "File not found", `There is no file at ${rawPath}.`);
}

function unmet({ rawPath }: Exchange): WholeReply {
  return problem(
    412,
    "Precondition failed",
    `The file at ${rawPath} is not as If-Match or If-None-Match wants it: read it again first.`,
  );
}

function outfenced({ rawPath }: Exchange, fence: number | null, highest: number): WholeReply {
  return {
    status: 412,
    body: {
      error: "Precondition failed",
      message: `The fence ${fence ?? "of the lock"} of ${rawPath} is lower than ${highest}, which was seen already: the lock was lost meanwhile.`,
      fence,
      highestFence: highest,
    },
  };
}

/** Reads the type of the content, which is told again to readers of the file. */
function readType(exchange: Exchange): string {
  const { "content-encoding": encoding, "content-type": type } = exchange.request.headers;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw new Problem(
      415,
      "Unsupported media type",
      "The body has a Content-Encoding, which would be lost: send it as it is.",
    );
  }
  if (exchange.header("content-range") !== undefined) {
    throw badRequest("A Content-Range writes a part of a file: send the whole file.");
  }
  if (type === undefined || type.trim() === "") return DEFAULT_TYPE;
  if (type.length > TYPE_LIMIT || !/^[\u0020-\u007e]+$/.test(type)) {
    throw badRequest(
      `The Content-Type must be printable text of at most ${TYPE_LIMIT} characters.`,
    );
  }
  return type;
}
