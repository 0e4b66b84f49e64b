/**
 * SHA-256 (FIPS 180-4) in hex. Done here, since Node's crypto takes a stage of the action longer to
 * load than all of its own code, for one digest of a token. It is for names and for random tokens,
 * whose time tells nothing; for much data Node's is faster, and is used where there is much.
 */
export function sha256(text: string): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length > LONG_BYTES)
    return process.getBuiltinModule("node:crypto").hash("sha256", bytes);
  const state = wordsOf(START);
  const message = padded(bytes);
  for (let at = 0; at < message.length; at += BLOCK_BYTES) mix(state, message, at);
  let hex = "";
  for (const word of state) hex += word.toString(16).padStart(8, "0");
  return hex;
}

const LONG_BYTES = 4_096;
const BLOCK_BYTES = 64;

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
const START = "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19";
/** And of the cube roots of the first 64. */
const ROUNDS =
  "428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5" +
  "d807aa9812835b01243185be550c7dc372be5d7480deb1fe9bdc06a7c19bf174" +
  "e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da" +
  "983e5152a831c66db00327c8bf597fc7c6e00bf3d5a7914706ca635114292967" +
  "27b70a852e1b21384d2c6dfc53380d13650a7354766a0abb81c2c92e92722c85" +
  "a2bfe8a1a81a664bc24b8b70c76c51a3d192e819d6990624f40e3585106aa070" +
  "19a4c1161e376c082748774c34b0bcb5391c0cb34ed8aa4a5b9cca4f682e6ff3" +
  "748f82ee78a5636f84c878148cc7020890befffaa4506cebbef9a3f7c67178f2";

function wordsOf(hex: string): Uint32Array {
  const bytes = Buffer.from(hex, "hex");
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) =>
    bytes.readUInt32BE(index * 4),
  );
}

/** A one bit, zeros, and the length in bits fill the last block. */
function padded(bytes: Buffer): Buffer {
  const blocks = Math.ceil((bytes.length + 9) / BLOCK_BYTES);
  const message = Buffer.alloc(blocks * BLOCK_BYTES);
  bytes.copy(message);
  message[bytes.length] = 0x80;
  message.writeUInt32BE(bytes.length * 8, message.length - 4);
  return message;
}

let rounds: Uint32Array | null = null;
const schedule = new Uint32Array(BLOCK_BYTES);

function mix(state: Uint32Array, message: Buffer, at: number): void {
  rounds ??= wordsOf(ROUNDS);
  const w = schedule;
  for (let i = 0; i < 16; i++) w[i] = message.readUInt32BE(at + i * 4);
  for (let i = 16; i < 64; i++) {
    const early = word(w, i - 15);
    const late = word(w, i - 2);
    const one = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const two = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    w[i] = word(w, i - 16) + one + word(w, i - 7) + two;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const first =
      h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + word(rounds, i) + word(w, i);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = word(state, index) + value;
  }
}

type Eight = [number, number, number, number, number, number, number, number];

function word(words: Uint32Array, index: number): number {
  return words[index] as number;
}

/** To the right, around the end. */
function turn(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}
