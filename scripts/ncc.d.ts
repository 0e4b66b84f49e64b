/** What the build uses of ncc, which comes without types. */
declare module "@vercel/ncc" {
  export default function ncc(
    entry: string,
    options: { readonly cache: false; readonly quiet: true },
  ): Promise<{
    readonly code: string;
    readonly assets: Readonly<Record<string, { readonly source: string | Buffer }>>;
  }>;
}
