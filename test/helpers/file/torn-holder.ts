import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { openStore } from "../../../src/stores/open.ts";

/**
 * A process that is killed, as by kill -9, right after the first of the files of its lock was made or
 * removed. `process.argv`: the store, and which of the two.
 */
const [, , path = "", when] = process.argv;

/** Kills this process once a call about a lock file has returned. */
function fatal<A extends unknown[]>(call: (...args: A) => void, file: (...args: A) => unknown) {
  return (...args: A) => {
    call(...args);
    if (String(file(...args)).endsWith(".lock")) process.kill(process.pid, "SIGKILL");
  };
}

const store = await openStore(path, { fsync: false });
const claim = () =>
  store.claim({ key: "k", slots: 3, weight: 2, owner: { id: "torn", metadata: {} } });
const holding = when === "removed" ? await claim() : null;
// Of the system's own calls, so that the whole of the store runs as it is.
if (when === "removed") {
  // By another process the file goes by way of its grave; the holder removes it.
  fs.unlinkSync = fatal(fs.unlinkSync, (file) => file);
} else fs.linkSync = fatal(fs.linkSync, (_, to) => to) as typeof fs.linkSync;
syncBuiltinESMExports();
await (holding === null ? claim() : holding.release());
