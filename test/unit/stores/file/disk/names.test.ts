import { basename, isAbsolute } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isLockError } from "../../../../../src/lock/errors.ts";
import {
  defaultDirectory,
  locationUrl,
  parseLocation,
} from "../../../../../src/stores/file/disk/location.ts";
import {
  gravesIn,
  lockFileName,
  placeOf,
  slotPath,
  temporaryPath,
  temporaryPid,
} from "../../../../../src/stores/file/disk/place.ts";
import { unixDescribe } from "../../../../helpers/platform.ts";
import { anyText } from "../../../lock/arbitraries.ts";

const at = (store: string) => parseLocation(store, "/work/dir");

unixDescribe("POSIX paths")("where a store is", () => {
  test.each([
    ["/var/lib/holdfast", "/var/lib/holdfast"],
    ["./locks", "/work/dir/locks"],
    ["locks", "/work/dir/locks"],
    ["file:/var/lib/holdfast", "/var/lib/holdfast"],
    ["FILE:/var/lib/holdfast", "/var/lib/holdfast"],
    ["file:///var/lib/holdfast", "/var/lib/holdfast"],
    ["file://localhost/var/lib", "/var/lib"],
    ["file:x", "/work/dir/x"],
    ["file:/a%20b/%3F", "/a b/?"],
    ["/a b/?#", "/a b/?#"],
    ["/var/./lib//x/", "/var/lib/x"],
    ["/locks/x.lock/", "/locks/x.lock"],
    ["...", "/work/dir/..."],
  ])("%s is the directory %s", (store, path) => {
    const within = path.startsWith("/work/dir") ? "/work/dir" : null;
    expect(at(store)).toEqual({ kind: "directory", path, isDefault: false, within });
  });

  test.each(["/locks/x.lock", "x.lock", "file:x.lock", ".lock"])("%s is one lock file", (store) => {
    expect(at(store)).toMatchObject({ kind: "lock", path: expect.stringMatching(/^\/.*\.lock$/) });
  });

  test.each(["file:", "file://", "file://localhost", "", defaultDirectory()])(
    "%j is the default directory",
    (store) => {
      const path = defaultDirectory();
      expect(at(store)).toEqual({ kind: "directory", path, isDefault: true, within: null });
    },
  );

  test.each([
    ["../x", ".. segment"],
    ["/a/../b", ".. segment"],
    ["file:/a/%2e%2e/b", ".. segment"],
    ["file:..%2Fx", ".. segment"],
    ["a\\..\\b", ".. segment"],
    ["file://elsewhere/x", '"elsewhere"'],
    ["file:/a?b", "%3F"],
    ["file:/a#b", "%23"],
    ["file:/a%zz", "percent-encoding"],
    ["/a\0b", "control character"],
    ["file:/a%0Ab", "control character"],
    ["/\ud800", "not valid Unicode"],
  ])("%j is refused: %s", (store, why) => {
    expect(() => at(store)).toThrow(why);
  });

  test("any text is a place without .. or a coded error, and its URL leads back to it", () => {
    const store = fc.oneof(
      anyText,
      anyText.map((text) => `file:${text}`),
      fc.array(anyText).map((parts) => `/${parts.join("/")}`),
      anyText.map((text) => `/${text}.lock`),
      anyText.map((text) => `/${text}.lock/`),
    );
    fc.assert(
      fc.property(store, (text) => {
        try {
          const location = at(text);
          expect(isAbsolute(location.path)).toBe(true);
          expect(location.path.split("/")).not.toContain("..");
          expect(parseLocation(locationUrl(location), "/elsewhere")).toEqual({
            ...location,
            within: null,
          });
        } catch (error) {
          if (!isLockError(error, "BAD_STORE")) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

unixDescribe("POSIX paths")("names beside a lock", () => {
  test("slots, side files and the audit log", () => {
    const place = placeOf("a/b", `/locks/${lockFileName("a/b")}`);
    expect(place.lock).toBe("/locks/a%2Fb.lock");
    expect(place.guard).toBe("/locks/.holdfast/a%2Fb.lock/guard");
    expect(place.audit).toBe("/locks/.lock_audit.log");
    expect([0, 1, 12].map((slot) => slotPath(place, slot))).toEqual([
      "/locks/a%2Fb.lock",
      "/locks/a%2Fb@1.lock",
      "/locks/a%2Fb@12.lock",
    ]);
  });

  test("no key's lock is another key's slot", () => {
    const place = placeOf("a", "/locks/a.lock");
    expect(lockFileName("a@1")).not.toBe(basename(slotPath(place, 1)));
  });

  test("a temporary file tells its pid", () => {
    const pid = fc.integer({ min: 1, max: 2 ** 32 - 1 });
    const random = fc.stringMatching(/^[0-9a-f]{16}$/);
    fc.assert(
      fc.property(pid, random, (process, hex) => {
        const path = temporaryPath("/locks/prod.lock", process, hex);
        expect(temporaryPid("/locks/prod.lock", basename(path))).toBe(process);
        expect(temporaryPid("/locks/prod@1.lock", basename(path))).toBeNull();
        expect(temporaryPid("/locks/pro.lock", basename(path))).toBeNull();
      }),
    );
  });

  test.each([
    "prod.lock",
    "prod.lock.tmp",
    "prod.lock.x.abc.tmp",
    "prod.lock.1.tmp",
    "prod.lock.1.a/b.tmp",
    "prod.lock.1.abc.tmp.bak",
    "prod.lock.12345678901.abc.tmp",
    "my.prod.lock.1.abc.tmp",
  ])("%s is no temporary file of prod.lock", (name) => {
    expect(temporaryPid("/locks/prod.lock", name)).toBeNull();
  });

  test("graves are known by their names", () => {
    expect(
      gravesIn(["slot0.grave", "slot12.grave", "slotx.grave", "slot1.grave.bak", "guard"]),
    ).toEqual([0, 12]);
  });
});
