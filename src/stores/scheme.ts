/** A store's scheme. A single letter before the colon is a Windows drive. */
export function schemeOf(store: string): string {
  return /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(store)?.[1]?.toLowerCase() ?? "file";
}
