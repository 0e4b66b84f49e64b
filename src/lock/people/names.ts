/** Names in a sentence: `a`, `a and b`, `a, b and c`. */
export function enumerated(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

/** `1 hold`, `3 holds`. */
export function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

/** `The lock "a"` or `The locks "a" and "b"`, and the word that follows: was or were. */
export function locksWere(keys: readonly string[]): string {
  const names = enumerated(keys.map((key) => JSON.stringify(key)));
  return keys.length === 1 ? `The lock ${names} was` : `The locks ${names} were`;
}
