import type { Agent, AgentOptions } from "node:http";
import type { StoreOptions } from "../options.ts";
/** How requests reach one HTTP server: Node's agent, which keeps connections, and its `request`. */
export interface HttpWire {
    readonly agent: Agent;
    readonly request: typeof import("node:http").request;
}
/** Opens the wire to a server. What only TLS needs is loaded where TLS is used. */
export declare function openHttpWire({ secure }: {
    readonly secure: boolean;
}, options: StoreOptions, agentOptions: AgentOptions): Promise<HttpWire>;
