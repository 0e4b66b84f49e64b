import { isUtf8 } from "node:buffer";
import { Fields } from "./fields.ts";
import type { Frame } from "./frame.ts";
import type { Command, Request } from "./request.ts";
import { type Violation, violations } from "./violation.ts";

const SPACE = 0x20;
const TAB = 0x09;
const RETURN = 0x0d;
const LETTER_S = 0x73;

/** Shared: see `Fields`. */
const fields = new Fields();

/** Numbers, token and key are read from the bytes; only fields that outlive the request become text. */
export function parseRequest(frame: Frame): Request | Violation {
  const command = parseCommand(frame);
  if (command === null) return violations.command;
  if (command === "stats") {
    return request(
      command,
      textOf(frame, frame.keyStart, frame.keyEnd),
      argumentText(frame),
      0,
      0,
      0,
    );
  }
  if (command === "auth") return request(command, "_", argumentText(frame).trim(), 0, 0, 0);
  const key = parseKey(frame.bytes, frame.keyStart, frame.keyEnd);
  if (key === null) return violations.key;
  fields.split(frame.bytes, frame.argumentStart, frame.argumentEnd);
  const parsed = parseFields(command, key);
  fields.clear();
  return parsed;
}

function parseFields(
  command: Exclude<Command, "stats" | "auth">,
  key: string,
): Request | Violation {
  switch (command) {
    case "l":
      return parseTimeout(command, key, 1, 2);
    case "sl":
      return parseTimeout(command, key, 2, 3);
    case "w":
    case "sw":
      return parseTimeout(command, key, 1, 1);
    case "e":
      return parseLease(command, key, "", 0, 1, 0);
    case "se":
      return fields.count === 0 ? violations.count : parseLimit(command, key, 0, 0);
    case "n":
    case "sn":
      return fields.count === 0
        ? violations.token
        : parseLease(command, key, fields.text(0), 0, 1, 1);
    case "r":
    case "sr":
      if (fields.count === 0) return violations.token;
      return fields.count > 1 ? violations.count : request(command, key, fields.text(0), 0, 1, 0);
  }
}

function parseTimeout(
  command: Command,
  key: string,
  fewest: number,
  most: number,
): Request | Violation {
  if (fields.count < fewest || fields.count > most) return violations.count;
  const timeout = fields.integer(0);
  if (Number.isNaN(timeout)) return violations.integer;
  if (timeout < 0) return violations.timeout;
  return fewest === 2
    ? parseLimit(command, key, timeout, 1)
    : parseLease(command, key, "", timeout, 1, 1);
}

function parseLimit(
  command: Command,
  key: string,
  timeout: number,
  index: number,
): Request | Violation {
  const limit = fields.integer(index);
  if (Number.isNaN(limit)) return violations.integer;
  if (limit <= 0) return violations.limit;
  return parseLease(command, key, "", timeout, limit, index + 1);
}

/** The lease is optional and always the last field. */
function parseLease(
  command: Command,
  key: string,
  token: string,
  timeout: number,
  limit: number,
  index: number,
): Request | Violation {
  if (fields.count === index) return request(command, key, token, timeout, limit, 0);
  if (fields.count > index + 1) return violations.count;
  const lease = fields.integer(index);
  if (Number.isNaN(lease)) return violations.integer;
  if (lease <= 0) return violations.lease;
  return request(command, key, token, timeout, limit, lease);
}

function request(
  command: Command,
  key: string,
  token: string,
  timeout: number,
  limit: number,
  lease: number,
): Request {
  return { command, key, token, timeout, limit, lease };
}

function textOf(frame: Frame, start: number, end: number): string {
  return frame.bytes.toString("utf8", start, end);
}

function argumentText(frame: Frame): string {
  return textOf(frame, frame.argumentStart, frame.argumentEnd);
}

/** The commands of locks and of semaphores, by their one letter or the second of two. */
const BY_LETTER: Readonly<Record<number, readonly [Command, Command]>> = {
  108: ["l", "sl"],
  114: ["r", "sr"],
  110: ["n", "sn"],
  101: ["e", "se"],
  119: ["w", "sw"],
};

function parseCommand({ bytes, commandStart, commandEnd }: Frame): Command | null {
  const length = commandEnd - commandStart;
  if (length === 1) return BY_LETTER[bytes[commandStart] as number]?.[0] ?? null;
  if (length === 2)
    return bytes[commandStart] === LETTER_S
      ? (BY_LETTER[bytes[commandStart + 1] as number]?.[1] ?? null)
      : null;
  if (length !== 4 && length !== 5) return null;
  const text = bytes.toString("latin1", commandStart, commandEnd);
  return text === "auth" || text === "stats" ? text : null;
}

/**
 * Two keys that differ only in broken bytes would become one key with replacement characters, so
 * invalid UTF-8 is refused.
 */
function parseKey(bytes: Buffer, start: number, end: number): string | null {
  if (start === end) return null;
  let ascii = true;
  for (let position = start; position < end; position += 1) {
    const byte = bytes[position] as number;
    if (byte === SPACE || byte === TAB || byte === RETURN) return null;
    if (byte >= 0x80) ascii = false;
  }
  if (ascii) return bytes.toString("latin1", start, end);
  return isUtf8(bytes.subarray(start, end)) ? bytes.toString("utf8", start, end) : null;
}
