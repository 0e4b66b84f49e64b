/** Random numbers that come again with the same seed (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below `sides`. */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) % sides;
  }

  chance(percent: number): boolean {
    return this.roll(100) < percent;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.roll(choices.length)] as T;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let index = 0; index < length; index += 1) bytes[index] = this.roll(256);
    return bytes;
  }
}

export interface FuzzFrame {
  readonly bytes: Buffer;
  /** The server has to close on it: nothing behind it will be read. */
  readonly last: boolean;
}

const KEYS = [
  "a",
  "b",
  "c",
  "d",
  "größe",
  "k".repeat(256),
  ...Array.from({ length: 200 }, (_, n) => `key-${n}`),
];
const NUMBERS = [
  "0",
  "1",
  "2",
  "3",
  "+1",
  "007",
  "33",
  "60",
  "2147484",
  "9007199254740993",
  "9223372036854775807",
];
const NO_NUMBERS = [
  "",
  "-1",
  "-0",
  "1.5",
  "1e3",
  "0x10",
  "ten",
  "99999999999999999999",
  "\u0000",
  "１",
];
const COMMANDS = ["l", "e", "w", "r", "n", "sl", "se", "sw", "sr", "sn", "stats", "auth"];

/** A frame that is mostly right, sometimes a little wrong and now and then nonsense. */
export function fuzzFrame(
  dice: Dice,
  tokens: readonly { key: string; token: string }[],
): FuzzFrame {
  if (dice.chance(3)) return { bytes: nonsense(dice), last: true };
  const command = dice.pick(COMMANDS);
  const known = tokens.length > 0 ? dice.pick(tokens) : undefined;
  const own = known !== undefined && /[rn]$/.test(command) && dice.chance(80);
  const key = own ? known.key : dice.pick(KEYS);
  const token = own ? known.token : dice.pick(["0".repeat(32), "x", "none"]);
  const newline = dice.chance(10) ? "\r\n" : "\n";
  const argument =
    command === "stats" && dice.chance(95) ? "" : argumentOf(dice, command, key, token);
  const text = [command, command === "stats" ? statsKey(dice) : key, argument, ""].join(newline);
  return { bytes: Buffer.from(text), last: false };
}

/** A lease that tells, when it comes back with the token, which key that is for. */
const LEASE_OF_FIRST_KEY = 1_000;

export function keyOfLease(lease: number): string {
  return KEYS[lease - LEASE_OF_FIRST_KEY] ?? "a";
}

function argumentOf(dice: Dice, command: string, key: string, token: string): string {
  const blank = dice.chance(5) ? "  \t" : " ";
  // Long waits are rare, or all connections would soon stand still.
  const timeout = dice.chance(98) ? "0" : "1";
  const telling = `${LEASE_OF_FIRST_KEY + KEYS.indexOf(key)}`;
  const lease = dice.chance(20) ? [] : [dice.chance(70) ? telling : dice.pick(NUMBERS.slice(1))];
  const limit = dice.pick(["1", "1", "2", "3"]);
  switch (command) {
    case "l":
      return [timeout, ...lease].join(blank);
    case "sl":
      return [timeout, limit, ...lease].join(blank);
    case "e":
      return lease.join(blank);
    case "se":
      return [limit, ...lease].join(blank);
    case "w":
    case "sw":
      return timeout;
    case "n":
    case "sn":
      return [token, ...lease].join(blank);
    default:
      return token;
  }
}

function statsKey(dice: Dice): string {
  return dice.pick([
    "holdfast/1 note=x&hostname=%41",
    "holdfast/1?key",
    "holdfast/1 %",
    "holdfast/1 note=%",
  ]);
}

function nonsense(dice: Dice): Buffer {
  const key = dice.pick(["", "a b", "k".repeat(257), "tab\there", ...KEYS]);
  switch (dice.roll(6)) {
    case 0:
      return dice.bytes(1 + dice.roll(600));
    case 1:
      return Buffer.from(
        `${dice.pick(COMMANDS)}\n${key}\n${dice.pick(NO_NUMBERS)} ${dice.pick(NO_NUMBERS)}\n`,
      );
    case 2:
      return Buffer.concat([Buffer.from("l\n"), dice.bytes(20), Buffer.from("\n0\n")]);
    case 3:
      return Buffer.from(
        dice.pick([
          "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
          "\u0016\u0003\u0001\u0002",
          "SSH-2.0-x\r\n",
        ]),
      );
    case 4:
      return Buffer.from(
        `l\nk\n${dice.pick(NUMBERS)} ${dice.pick(NUMBERS)} ${dice.pick(NUMBERS)}\n`,
      );
    default:
      return Buffer.from("\n".repeat(1 + dice.roll(9)));
  }
}
