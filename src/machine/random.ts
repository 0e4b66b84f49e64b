/**
 * Bytes that nobody can guess, in hex digits. node:crypto is loaded when they are first needed: it
 * takes a fifth of a bare node's time, and who only looks at locks needs none.
 */
export function randomHex(bytes: number): string {
  return process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex");
}
