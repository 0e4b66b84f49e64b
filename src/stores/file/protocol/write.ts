import { temporaryPath } from "../disk/place.ts";
import { type Steps, step } from "./world.ts";

/**
 * Puts a whole file in the place of what is there, by a rename: nobody meets half of it, and a link under its
 * name is replaced, not followed. `record` is run in between, once nothing but the rename can fail. `beside`: by
 * its name a cleaning finds the temporary file that a crash left. False if another tool's cleaning took the
 * temporary file away.
 */
export function* putWhole(
  path: string,
  content: string,
  pid: number,
  record: () => Steps<void> = nothing,
  beside = path,
): Steps<boolean> {
  const temporary = temporaryPath(beside, pid, yield* step("random"));
  yield* step("close", yield* step("create", temporary, content));
  let stands = false;
  try {
    yield* record();
    stands = yield* step("rename", temporary, path);
  } finally {
    if (!stands) yield* step("remove", temporary);
  }
  return stands;
}

function* nothing(): Steps<void> {}
