import { keep } from "./keeper.ts";
import { spareFromMemoryPressure } from "./signals.ts";

/** Everything is closed when `keep` is done, so the process ends by itself; this is for what is not. */
const LINGER_MS = 2_000;

process.title = "holdfast-keeper";
spareFromMemoryPressure();
await keep();
setTimeout(() => process.exit(0), LINGER_MS).unref();
