/**
 * A store's scheme. A single letter before the colon is a Windows drive; `github` alone is the
 * repository of the job, and a directory of that name is `./github`.
 */
export function schemeOf(store: string): string {
  const [, named, alone] =
    /^\s*(?:([A-Za-z][A-Za-z0-9+.-]+):|(github)\s*(?:$|\?))/i.exec(store) ?? [];
  return (named ?? alone ?? "file").toLowerCase();
}
