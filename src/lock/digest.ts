/**
 * SHA-256 in hex. The module behind it takes milliseconds to load, and most stages of the action end
 * without needing it: it is loaded when first used.
 */
export function sha256(text: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", text);
}
