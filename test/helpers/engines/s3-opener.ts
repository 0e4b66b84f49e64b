import type { Timing } from "../../../src/stores/document/timing.ts";
import type { Register } from "../../../src/stores/engines/register.ts";
import { openS3Register } from "../../../src/stores/engines/s3/register.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";

/** The times of a store that polls, made short: the server is on this machine, and nobody has a bill. */
export const QUICK: Partial<Timing> = {
  // A busy machine must not turn a slow answer into one that does not come.
  startRetry: 30_000,
  startPatience: 90_000,
  poll: [60, 120, 200],
  farPoll: 200,
  grace: 8_000,
  holderLook: 300,
};

/** How processes of the contract suite open a store on S3. */
export function openQuickS3(url: string, options: StoreOptions): Register {
  const register = openS3Register(url, options);
  const traits = { ...register.traits, backoff: [20, 300] as const };
  return new Proxy(register, {
    get(target, name) {
      if (name === "traits") return traits;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
