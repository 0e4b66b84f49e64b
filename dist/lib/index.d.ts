/** The library: what the CLI, the keeper and the action use, and nothing beside it. */
export { here, type Identity, identify, type Surroundings } from "./ci/index.ts";
export { estimateTurn } from "./forecast/estimate.ts";
export { formatDuration, parseDuration } from "./lock/duration.ts";
export { ERROR_CODES, type ErrorCode, isLockError, LockError, SupersededError, } from "./lock/errors.ts";
export type { Estimate, Hold, HoldEnd } from "./lock/history.ts";
export { parseKey } from "./lock/key.ts";
export type { Metadata, Owner } from "./lock/owner.ts";
export type { ReclaimReason } from "./lock/reclaim.ts";
export type * from "./lock/status.ts";
export type * from "./lock/store.ts";
export type { Lease } from "./lock/store.ts";
export { openStore } from "./stores/open.ts";
export type { StoreOptions } from "./stores/options.ts";
export { claimAll, type SeveralHolding, type SeveralOptions } from "./stores/several.ts";
