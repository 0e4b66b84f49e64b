import type { KeyStatus, Store } from "../lock/store.ts";
import { type ForecastStatus } from "./forecast.ts";
/** A status with the turns that its history lets expect. Without a history there are none. */
export declare function withEstimate(store: Store, status: KeyStatus, now: number): Promise<ForecastStatus>;
export declare function withEstimates(store: Store, found: readonly KeyStatus[], now: number): Promise<ForecastStatus[]>;
