import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteLength } from "../../../../../src/lock/text.ts";
import { emptyDocument, type KeyDocument } from "../../../../../src/stores/document/document.ts";
import {
  DOCUMENT_BYTES_LIMIT,
  GROWTH_BYTES_LIMIT,
  parseDocument,
  writeDocument,
} from "../../../../../src/stores/document/format.ts";
import { join, LINE_LIMIT, take } from "../../../../../src/stores/document/operations/claim.ts";
import { breakHolders, release } from "../../../../../src/stores/document/operations/end.ts";
import { renew } from "../../../../../src/stores/document/operations/keep.ts";
import { isRefusal, NONCES_KEPT } from "../../../../../src/stores/document/operations/state.ts";
import { claimantOf, KEY } from "../kit.ts";

const NOW = 1_794_000_000_000;

/** A document as full as it can get, of claims that say as much as they may. */
function full(text: string, waiters: number): KeyDocument {
  const metadata = Object.fromEntries(
    ["hostname", "run_url", "workflow", "ref"].map((name) => [name, text.repeat(200)]),
  );
  const more = { owner: text.repeat(60), note: text.repeat(250), metadata };
  const claimant = claimantOf("holder", more);
  const ask = { claimant, slots: 1, waited: 0, reclaim: [], drop: [] };
  let document = take(emptyDocument(KEY), ask, { now: NOW, shared: true, nonce: "0" });
  for (let index = 0; index < waiters && !isRefusal(document); index++) {
    const joined = new Date(NOW).toISOString();
    const waiter = { ...claimantOf(`w${index}`, more), joined };
    const next = join(
      document,
      { waiter, slots: 1, drop: [] },
      { now: NOW, shared: true, nonce: `j${index}` },
    );
    if (isRefusal(next)) break;
    const written = writeDocument(next, GROWTH_BYTES_LIMIT);
    if (written === null) break;
    document = written.document;
  }
  if (isRefusal(document)) throw new Error("refused");
  return document;
}

describe("the text of a document", () => {
  test("comes back as it was written", () => {
    const document = full("x", 3);
    expect(parseDocument(writeDocument(document)?.text ?? "", KEY)).toEqual(document);
  });

  test.each(["x", '"', "🔒"])("is never too long, whatever claims say (%s)", (text) => {
    const document = full(text, LINE_LIMIT);
    const { text: written } = writeDocument(document) ?? { text: "" };
    expect(written).not.toBe("");
    expect(byteLength(written)).toBeLessThanOrEqual(DOCUMENT_BYTES_LIMIT);
    expect(document.line.length).toBeGreaterThan(20);
  });

  test.each(["x", '"', "🔒"])(
    "a full one can still be renewed, broken and released (%s)",
    (text) => {
      let document = full(text, LINE_LIMIT);
      const live = () => true;
      const reason = text.repeat(250);
      for (let index = 0; index < 4 * NONCES_KEPT; index++) {
        const moment = { now: NOW, shared: true, nonce: `nonce-of-16-${index}` };
        const id = document.holders[0]?.id ?? "";
        const next =
          index % 3 === 0
            ? renew(document, { id, refreshes: true }, moment)
            : index % 3 === 1
              ? breakHolders(document, { reason, by: text.repeat(60) }, live, moment)
              : release(document, { id }, live, moment);
        if (isRefusal(next)) break;
        const written = writeDocument(next);
        expect(written).not.toBeNull();
        document = written?.document ?? document;
      }
      expect(document.line).toEqual([]);
    },
  );

  test("notes and metadata are left out before anybody is", () => {
    const document = full("y", 90);
    expect(document.line).toHaveLength(90);
    expect(document.line[0]).toMatchObject({ metadata: {}, owner: "y".repeat(60) });
  });

  test("fields of a later version are carried along", () => {
    const fields = { ...full("x", 1), invented: { deep: 1 } } as unknown as KeyDocument;
    const [holder] = fields.holders;
    const text = JSON.stringify({ ...fields, holders: [{ ...holder, later: true }] });
    const read = parseDocument(text, KEY);
    expect(JSON.parse(writeDocument(read)?.text ?? "")).toMatchObject({
      invented: { deep: 1 },
      holders: [{ later: true }],
    });
  });

  test.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["another version", JSON.stringify({ ...emptyDocument(KEY), v: 3 })],
    ["another key", JSON.stringify(emptyDocument("other"))],
    ["holders that are no list", JSON.stringify({ ...emptyDocument(KEY), holders: {} })],
    ["a holder without a fence", JSON.stringify({ ...emptyDocument(KEY), holders: [{ id: "a" }] })],
    ["slots of 0", JSON.stringify({ ...emptyDocument(KEY), slots: 0 })],
  ])("%s is refused, never taken for a free key", (_, text) => {
    expect(() => parseDocument(text, KEY)).toThrow(
      expect.objectContaining({ code: "BAD_LOCK_FILE" }),
    );
  });

  test("what is not a document never passes for one, and never throws anything but a LockError", () => {
    const whole = JSON.stringify(full("x", 2));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), fc.string(), (at, noise) => {
        const text = whole.slice(0, at) + noise + whole.slice(at + noise.length + 1);
        try {
          const { holders } = parseDocument(text, KEY);
          expect(holders).toHaveLength(1);
        } catch (error) {
          expect(error).toMatchObject({ code: "BAD_LOCK_FILE" });
        }
      }),
    );
  });
});
