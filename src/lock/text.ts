import { hash } from "node:crypto";

/** C0, DEL and C1: characters that can forge a line, move a cursor or end a string. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** Replaces each control character by a space, as the lock-file specs say of tags. */
export function cleanText(text: string): string {
  return text.replace(CONTROLS, " ");
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** Cuts at a character boundary so that at most `bytes` bytes of UTF-8 remain. */
export function cutToBytes(text: string, bytes: number): string {
  if (byteLength(text) <= bytes) return text;
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += byteLength(character);
    if (length > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** For error sentences: the text in quotes, control characters made visible, long text cut. */
export function quote(text: string, limit = 60): string {
  const shown = JSON.stringify(cutToBytes(text, limit)).replace(
    /[\u007f-\u009f]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return byteLength(text) > limit ? `${shown}…` : shown;
}

/** SHA-256 of a text, in 64 hex digits. */
export function sha256(text: string): string {
  return hash("sha256", text);
}
