import { describe, expect, test } from "vitest";
import {
  isPassing,
  RETRIES,
  RETRY_DELAY_MS,
  sharedFilesystem,
  sharedTypeName,
  withRetry,
} from "../../../../../src/stores/file/disk/network.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";

describe("a shared filesystem is known by its type", () => {
  test.each([
    [0x6969, "nfs"],
    [0xff534d42, "cifs"],
    [0xff534d42 | 0, "cifs"],
    [0xfe534d42, "smb2"],
    [0xfe534d42 | 0, "smb2"],
    [0x517b, "smb"],
    [0x01021997, "9p"],
    [0x00c36400, "ceph"],
    [0x0bd00bd0, "lustre"],
    [0x47504653, "gpfs"],
    [0x61636673, "acfs"],
    [0x65735546, "fuse"],
  ])("%i is %s", (type, name) => {
    expect(sharedTypeName(type)).toBe(name);
  });

  test.each([
    [0xef53, "ext4"],
    [0x58465342, "xfs"],
    [0x9123683e, "btrfs"],
    [0x01021994, "tmpfs"],
    [0x794c7630, "overlayfs"],
    [0x2fc12fc1, "zfs"],
    [0, "nothing"],
  ])("%i (%s) belongs to this machine", (type) => {
    expect(sharedTypeName(type)).toBeNull();
  });

  test("a directory that is not there is on none", () => {
    expect(sharedFilesystem(`${temporaryDirectory()}/nowhere`)).toBeNull();
  });
});

/** Fails with those codes, one after the other, then succeeds; keeps the delays instead of sleeping. */
function flaky(codes: string[]) {
  const delays: number[] = [];
  let calls = 0;
  const call = () => {
    const code = codes[calls];
    calls += 1;
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    return "done";
  };
  const sleep = async (ms: number) => {
    delays.push(ms);
  };
  return { call, sleep, delays, calls: () => calls };
}

describe("the retry for passing errors", () => {
  test("what succeeds at once is no promise", () => {
    const { call, sleep, delays } = flaky([]);
    expect(withRetry(call, sleep)).toBe("done");
    expect(delays).toEqual([]);
  });

  test.each(["ESTALE", "EIO", "ETIMEDOUT"])("%s passes", async (code) => {
    const { call, sleep, delays } = flaky([code]);
    expect(await withRetry(call, sleep)).toBe("done");
    expect(delays).toEqual([RETRY_DELAY_MS]);
  });

  test("ten attempts, the delay doubling from 100 ms", async () => {
    const nine = flaky(Array<string>(RETRIES - 1).fill("EIO"));
    expect(await withRetry(nine.call, nine.sleep)).toBe("done");
    expect(nine.delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600]);
    const ten = flaky(Array<string>(RETRIES).fill("EIO"));
    await expect(withRetry(ten.call, ten.sleep)).rejects.toThrow("EIO");
    expect(ten.calls()).toBe(10);
  });

  test.each(["ENOENT", "ENOSPC", "EACCES"])("%s is thrown at once", (code) => {
    const { call, sleep, delays, calls } = flaky([code]);
    expect(() => withRetry(call, sleep)).toThrow(code);
    expect([calls(), delays]).toEqual([1, []]);
  });

  test("another error after a passing one ends it", async () => {
    const { call, sleep, calls } = flaky(["EIO", "ENOSPC"]);
    await expect(withRetry(call, sleep)).rejects.toThrow("ENOSPC");
    expect(calls()).toBe(2);
  });

  test("errors without a code do not pass", () => {
    expect(isPassing(new Error("x"))).toBe(false);
    expect(isPassing(null)).toBe(false);
  });
});
