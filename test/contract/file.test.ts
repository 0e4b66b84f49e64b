import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LOCK_FORMATS } from "../../src/lock/request.ts";
import { sharedFilesystem } from "../../src/stores/file/disk/network.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { contractSuite } from "./suite.ts";

/** A container's temporary directory may be mounted from elsewhere. */
const shared = sharedFilesystem(tmpdir()) !== null;

for (const format of LOCK_FORMATS) {
  contractSuite(`the file store with format ${format}`, {
    limits: {
      promises: {
        fair: true,
        fenced: true,
        push: !shared,
        scope: shared ? "filesystem" : "machine",
      },
      breaks: true,
      covers: true,
      namesWaiters: true,
      remembersKeys: true,
      expires: true,
      tellsTtl: true,
      freezes: true,
      newest: true,
      runs: true,
    },
    async create() {
      const parent = temporaryDirectory();
      return {
        url: `file:${join(parent, "locks")}`,
        options: { format },
        traces: async () => readdirSync(parent, { recursive: true }),
      };
    },
  });
}
