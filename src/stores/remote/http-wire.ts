import type { Agent, AgentOptions, IncomingMessage } from "node:http";
import type { StoreOptions } from "../options.ts";

/** How requests reach one HTTP server: Node's agent, which keeps connections, and its `request`. */
export interface HttpWire {
  readonly agent: Agent;
  readonly request: typeof import("node:http").request;
  readonly secure: boolean;
}

/** Opens the wire to a server. What only TLS needs is loaded where TLS is used. */
export async function openHttpWire(
  { secure }: { readonly secure: boolean },
  options: StoreOptions,
  agentOptions: AgentOptions,
): Promise<HttpWire> {
  const proxyEnv = options.variables ?? process.env;
  const shared = { keepAlive: true, proxyEnv, ...agentOptions };
  if (!secure) {
    const { Agent, request } = await import("node:http");
    return { agent: new Agent(shared), request, secure };
  }
  const [{ Agent, request }, { readTrusted }] = await Promise.all([
    import("node:https"),
    import("./certificates.ts"),
  ]);
  const trusted = await readTrusted(options);
  const ca = trusted === undefined ? {} : { ca: [...trusted] };
  return { agent: new Agent({ ...shared, minVersion: "TLSv1.2", ...ca }), request, secure };
}

/** A whole answer. Throws "endless" where it has more than `limit` bytes, "cut" where it has no end. */
export async function collect(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw "endless";
    chunks.push(chunk);
  }
  if (!response.complete) throw "cut";
  return Buffer.concat(chunks);
}
