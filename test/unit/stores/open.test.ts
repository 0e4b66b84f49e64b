import { afterEach, expect, test } from "vitest";
import { openStore } from "../../../src/stores/open.ts";

const versions = Object.getOwnPropertyDescriptor(process, "versions") as PropertyDescriptor;
afterEach(() => {
  Object.defineProperty(process, "versions", versions);
});

test("an older Node is told what is needed, before anything is opened", async () => {
  const older = { ...process.versions, node: "20.19.0" };
  Object.defineProperty(process, "versions", { ...versions, value: older });
  for (const store of ["file:", "tcp://127.0.0.1:1", "http://127.0.0.1:1"]) {
    await expect(openStore(store)).rejects.toMatchObject({
      code: "NODE_TOO_OLD",
      message: expect.stringMatching(/needs Node 24 or later, and this is Node 20\.19\.0/),
    });
  }
});
