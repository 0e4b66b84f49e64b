/**
 * A key at the server: its text behind the store's base. Where that would be read in several ways
 * on its way there (parsers of URLs collapse dots and slashes, some decode twice), or means
 * something else to the server, the key is encoded once more: what arrives is then plain, and is
 * told from every other key by its `%`.
 */
export function serverKeyOf(base: string, key: string): string {
  return base + (isPlain(key) && !(base === "" && isReserved(key)) ? key : encodeAll(key));
}

/** The user's key of one that the server lists; null where it is not of this store. */
export function keyOf(base: string, serverKey: string): string | null {
  if (!serverKey.startsWith(base) || serverKey === base) return null;
  const text = serverKey.slice(base.length);
  const key = decoded(text);
  // Others may lock keys that only look like ours: they are shown as they are.
  return key !== null && serverKeyOf(base, key) === serverKey ? key : text;
}

/** The path of a server's key. */
export function pathOf(serverKey: string): string {
  return `/${serverKey.split("/").map(encodeURIComponent).join("/")}`;
}

function isPlain(key: string): boolean {
  if (/%|\.\./.test(key)) return false;
  return key.split("/").every((segment) => segment !== "" && segment !== ".");
}

function isReserved(key: string): boolean {
  return /^(auth|admin)(\/|$)|^(healthz|metrics)$/.test(key);
}

function encodeAll(key: string): string {
  const encoded = encodeURIComponent(key).replaceAll(".", "%2E");
  if (encoded.includes("%")) return encoded;
  return `%${encoded.charCodeAt(0).toString(16).toUpperCase()}${encoded.slice(1)}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
