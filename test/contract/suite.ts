import { afterEach, beforeEach, describe } from "vitest";
import { closingTests } from "./promises/closing.ts";
import { exclusionTests } from "./promises/exclusion.ts";
import { fenceTests } from "./promises/fence.ts";
import { lookingTests } from "./promises/looking.ts";
import { lossTests } from "./promises/loss.ts";
import { orderTests } from "./promises/order.ts";
import { ownershipTests } from "./promises/ownership.ts";
import { requestTests } from "./promises/requests.ts";
import { waitingTests } from "./promises/waiting.ts";
import { type ContractFactory, Scene } from "./scene/scene.ts";

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
    describe("inspect and list", () => lookingTests(scene));
    describe("requests", () => requestTests(scene));
    describe("closing", () => closingTests(scene));
  });
}
