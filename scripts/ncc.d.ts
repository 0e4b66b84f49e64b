/** What the build uses of ncc, which comes without types. */
declare module "@vercel/ncc" {
  export default function ncc(
    entry: string,
    options: { readonly cache: boolean; readonly esm: boolean; readonly quiet: boolean },
  ): Promise<{
    readonly code: string;
    readonly assets: Readonly<Record<string, { readonly source: string | Buffer }>>;
  }>;
}
