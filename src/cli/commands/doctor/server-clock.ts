import { parseGitAddress } from "../../../stores/engines/git/address.ts";
import { parseS3Address } from "../../../stores/engines/s3/address.ts";
import { parseAddress } from "../../../stores/http/address.ts";
import { schemeOf } from "../../../stores/open.ts";
import type { StoreOptions } from "../../../stores/options.ts";
import { Exchange } from "../../../stores/remote/exchange.ts";

const ANSWER_MS = 10_000;
/** An HTTP date counts whole seconds. */
const RESOLUTION_MS = 1_000;

/**
 * Milliseconds that a server's clock is ahead of this machine's, by the date of an HTTP answer; null
 * where it speaks no HTTP or tells none.
 */
export async function serverClock(
  store: string,
  options: StoreOptions,
  env: NodeJS.ProcessEnv,
): Promise<number | null> {
  const address = addressOf(store, env);
  if (address === null) return null;
  const { host, port } = address;
  const exchange = new Exchange(address, options, {});
  const question = { method: "HEAD", path: "/", body: Buffer.alloc(0), patience: ANSWER_MS };
  try {
    const sentAt = Date.now();
    const { headers } = await exchange.ask({ host, port, ...question }, 0);
    const date = Date.parse(headers.date ?? "");
    return Number.isNaN(date) ? null : skewOf(date, sentAt, Date.now());
  } catch {
    // Another finding has already said whether the server can be reached.
    return null;
  } finally {
    await exchange.close();
  }
}

/** The least difference that explains what was seen: the date was written between the two times. */
export function skewOf(date: number, sentAt: number, receivedAt: number): number {
  if (date > receivedAt) return date - receivedAt;
  if (date + RESOLUTION_MS < sentAt) return date + RESOLUTION_MS - sentAt;
  return 0;
}

function addressOf(store: string, env: NodeJS.ProcessEnv) {
  switch (schemeOf(store)) {
    case "http":
    case "https":
      return parseAddress(store);
    case "github":
    case "git+https":
    case "git+http":
      return parseGitAddress(store, env);
    case "s3":
      return parseS3Address(store, env);
    default:
      return null;
  }
}
