import type { Universe } from "../clockwork/universe.ts";
import type { World } from "../world.ts";
import { DocumentWorld } from "./document.ts";
import { ServerWorld } from "./server.ts";

/** The worlds, by their names on the command line. */
export const WORLDS: Readonly<Record<string, (universe: Universe) => World>> = {
  server: (universe) => new ServerWorld(universe),
  document: (universe) => new DocumentWorld(universe),
};
