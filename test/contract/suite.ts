import { afterEach, beforeEach, describe } from "vitest";
import { closingTests } from "./closing.ts";
import { exclusionTests } from "./exclusion.ts";
import { fenceTests } from "./fence.ts";
import { lookingTests } from "./looking.ts";
import { lossTests } from "./loss.ts";
import { orderTests } from "./order.ts";
import { ownershipTests } from "./ownership.ts";
import { requestTests } from "./requests.ts";
import { type ContractFactory, Scene } from "./scene.ts";
import { waitingTests } from "./waiting.ts";

export type { ContractFactory, ContractLimits, ContractPlace } from "./scene.ts";

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
