import { afterEach, beforeEach, describe } from "vitest";
import { exclusionTests } from "./promises/holding/exclusion.ts";
import { fenceTests } from "./promises/holding/fence.ts";
import { lossTests } from "./promises/holding/loss.ts";
import { ownershipTests } from "./promises/holding/ownership.ts";
import { runTests } from "./promises/holding/run.ts";
import { severalTests } from "./promises/holding/several.ts";
import { freezeTests } from "./promises/line/freeze.ts";
import { newestTests } from "./promises/line/newest.ts";
import { orderTests } from "./promises/line/order.ts";
import { waitingTests } from "./promises/line/waiting.ts";
import { closingTests } from "./promises/store/closing.ts";
import { lookingTests } from "./promises/store/looking.ts";
import { readinessTests } from "./promises/store/readiness.ts";
import { requestTests } from "./promises/store/requests.ts";
import { sharingTests } from "./promises/store/sharing.ts";
import { type ContractFactory, type ContractLimits, Scene } from "./scene/scene.ts";

export type { ContractFactory, ContractLimits, ContractPlace } from "./scene/scene.ts";

/** What every store promises (src/lock/store.ts), shown with real processes. */
export function contractSuite(name: string, factory: ContractFactory): void {
  describe(`${name} keeps the contract of a store`, () => {
    const scene = new Scene(factory);
    beforeEach(() => scene.begin());
    afterEach(() => scene.end());

    describe("at most `slots` leases", () => exclusionTests(scene));
    describe("order of arrival", () => orderTests(scene));
    describe("fence", () => fenceTests(scene));
    describe("release and renew", () => ownershipTests(scene));
    describe("loss", () => lossTests(scene));
    describe("waiting", () => waitingTests(scene));
    describe("freeze and thaw", () => freezeTests(scene));
    describe("line: newest", () => newestTests(scene));
    describe("until: run", () => runTests(scene));
    describe("several keys", () => severalTests(scene));
    describe("sharing", () => sharingTests(scene));
    describe("early in line", () => readinessTests(scene));
    describe("inspect and list", () => lookingTests(scene));
    describe("requests", () => requestTests(scene));
    describe("closing", () => closingTests(scene));
  });
}

/** What a document store promises on an engine that wakes by events and keeps signs of life. */
export const ENGINE_LIMITS: ContractLimits = {
  promises: { fair: true, fenced: true, push: true, scope: "network" },
  breaks: true,
  covers: false,
  namesWaiters: true,
  remembersKeys: true,
  expires: true,
  tellsTtl: true,
  freezes: true,
  newest: true,
  runs: true,
  deadAfter: 3_000,
};
