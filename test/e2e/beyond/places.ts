import { onTestFinished } from "vitest";
import type { Store } from "../../../src/lock/store.ts";
import { openStore } from "../../../src/stores/open.ts";
import { openForge, TOKEN } from "../git/place.ts";
import { verify as verifyStep } from "../jobs.ts";
import { openServed } from "../places.ts";
import type { CommandStep } from "../runner/job.ts";
import { openScene, type Scene } from "../scene.ts";

/** Asks whether the lock is held. A run's has no keeper that would know a password: the step has to. */
export const verify: CommandStep = { ...verifyStep, env: { HOLDFAST_TOKEN: TOKEN } };

/** Where jobs meet that want more than a lock of their own. */
export const PLACES = ["file", "git", "http"] as const;
export type Place = (typeof PLACES)[number] | "file" | "http" | "tcp";

/** A scene, and its store as a person at a terminal would use it. */
export interface Beyond extends Scene {
  open(): Promise<Store>;
}

export async function openAt(place: Place): Promise<Beyond> {
  const scene = await sceneAt(place);
  return {
    ...scene,
    open: async () => {
      const store = await openStore(scene.store, place === "git" ? { token: TOKEN } : {});
      onTestFinished(() => store.close());
      return store;
    },
  };
}

async function sceneAt(place: Place): Promise<Scene> {
  if (place === "git") return openForge();
  return place === "file" ? openScene() : openServed(place);
}
