import { allowReading, type Handler } from "../exchange.ts";

export interface HealthSource {
  readonly version: string;
  /** Why changes cannot be written just now; null: all is well. */
  trouble(): string | null;
}

/** Answers `/healthz`. It is open, for load balancers and probes, so it says nothing about locks. */
export function createHealth(source: HealthSource): Handler {
  return (exchange) => {
    allowReading(exchange);
    const message = source.trouble();
    const headers = { "cache-control": "no-store" };
    if (message !== null) return { status: 503, headers, body: { status: "trouble", message } };
    return { status: 200, headers, body: { status: "ok", version: source.version } };
  };
}
