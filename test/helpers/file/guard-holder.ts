import { Guard } from "../../../src/stores/file/disk/guard.ts";

/** Enters a guard and stays there, so that it can be stopped or killed inside. */
const guard = new Guard(process.argv[2] as string);
await guard.enter({ prepare: () => {} });
console.log("entered");
setInterval(() => {}, 1e6);
