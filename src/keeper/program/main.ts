import { KEEPER_TITLE } from "../../machine/programs.ts";
import { keep } from "./keeper.ts";
import { spareFromMemoryPressure } from "./signals.ts";

/** How long the process may take to end by itself once `keep` is done and everything is closed. */
const LINGER_MS = 2_000;

process.title = KEEPER_TITLE;
spareFromMemoryPressure();
void keep().then(() => setTimeout(() => process.exit(0), LINGER_MS).unref());
