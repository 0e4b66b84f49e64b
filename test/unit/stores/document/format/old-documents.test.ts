import { expect, test } from "vitest";
import { parseDocument, writeDocument } from "../../../../../src/stores/document/format.ts";
import { Names as EtcdNames } from "../../../../../src/stores/engines/etcd/requests.ts";
import { parsePostgresAddress } from "../../../../../src/stores/engines/postgres/address.ts";
import { aliveSessions, renewSession } from "../../../../../src/stores/engines/postgres/sql.ts";
import { parseRedisAddress } from "../../../../../src/stores/engines/redis/address.ts";
import { documentIn, KEY, request, stage } from "../kit.ts";

/** As 1.0.0-rc.1 wrote it: a holder and one in line, whose sessions it calls beacons. */
const OLD =
  '{"v":1,"key":"production","nonce":"fe25c032ff041c8f","nonces":["613f945534067347"],"slots":1,"fence":1795033662713000,"holders":[{"id":"ae0eb5b072292efd","owner":"ci-github-456-1-deploy","digest":"23ccffe5b27978ee3e0e1b9bcee854f53831f0a1b8c0528c560e97433e15f1d2","ttl":3600000,"deadAfter":30000,"note":"v1.2.3","metadata":{"ci_system":"github","run_id":"456"},"life":{"kind":"beacon","id":"ae0eb5b072292efd"},"fence":1795033662713000,"slot":0,"since":"2026-11-18T20:27:42.713Z","waited":4,"beat":"613f945534067347","refresh":"613f945534067347","renewed":"2026-11-18T20:27:42.713Z"}],"line":[{"id":"1e5e2e30dd539f16","owner":"ci-github-457-1-deploy","digest":"e7c43f972d4ed55de3630dad3353fceaea6eb4a492365d7575a1e1ccb87c53c4","ttl":3600000,"deadAfter":30000,"note":null,"metadata":{},"life":{"kind":"beacon","id":"1e5e2e30dd539f16"},"joined":"2026-11-18T20:27:42.717Z"}],"turn":null,"freeze":null,"taken":[],"superseded":[],"holds":[]}';
const [HOLDER, WAITER] = ["ae0eb5b072292efd", "1e5e2e30dd539f16"];
const PUSH = { push: true, signs: true };

test("a document of the version before is read, and written with the new word", () => {
  const document = parseDocument(OLD, KEY);
  expect(document.holders[0]?.life).toEqual({ kind: "session", id: HOLDER });
  expect(document.line[0]?.life).toEqual({ kind: "session", id: WAITER });
  const text = writeDocument(document)?.text ?? "";
  expect(text).not.toContain("beacon");
  expect(text).toBe(OLD.replaceAll('"kind":"beacon"', '"kind":"session"'));
});

const { open, memory } = stage();

test("a holder and a waiter of the version before keep their places while they live", async () => {
  memory().states.set(KEY, [{ version: "old", text: OLD }]);
  for (const id of [HOLDER, WAITER]) memory().sessions.set(id, Number.POSITIVE_INFINITY);
  const { store } = open(PUSH);
  const status = await store.inspect(KEY);
  expect(status.holders).toMatchObject([{ owner: "ci-github-456-1-deploy", alive: true }]);
  expect(status.waiters).toMatchObject([{ owner: "ci-github-457-1-deploy", alive: true }]);
  const claim = store.claim(request("new"), { timeout: 0 });
  await expect(claim).rejects.toMatchObject({ code: "TIMEOUT" });
  expect(documentIn(memory()).holders).toHaveLength(1);
});

test("a holder and a waiter of the version before that are dead are passed", async () => {
  memory().states.set(KEY, [{ version: "old", text: OLD }]);
  const { store } = open(PUSH);
  const holding = await store.claim(request("new"));
  expect(holding.reclaimed).toEqual({ from: "ci-github-456-1-deploy", reason: "HOLDER_DEAD" });
  expect(await holding.release()).toBe("released");
});

test("sessions have the names in each engine that the version before looks for", () => {
  expect(parseRedisAddress("redis://h").names.session).toBe("holdfast:beacon:");
  const etcd = new EtcdNames("p").session("a");
  expect(Buffer.from(etcd, "base64").toString()).toBe("p/beacons/a");
  const { table } = parsePostgresAddress("postgres://h/d");
  expect(renewSession(table, { id: "a", deadAfter: 1 })).toContain("'beacon'");
  expect(aliveSessions(table, ["a"])).toContain("kind = 'beacon'");
});
