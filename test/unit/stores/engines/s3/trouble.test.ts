import { afterEach, describe, expect, it } from "vitest";
import { isLockError, type LockError } from "../../../../../src/lock/errors.ts";
import type { Register } from "../../../../../src/stores/engines/register.ts";
import { openS3Register } from "../../../../../src/stores/engines/s3/register.ts";
import { type Fault, PlainS3 } from "../../../../helpers/engines/plain-s3.ts";
import { hold, open, refused, SECRET } from "../../../../helpers/tcp/support.ts";

/** Answers that a real server gives once in a long while, or that only an old one gives. */

const TOKEN = `id:${SECRET}`;
const registers: Register[] = [];
afterEach(async () => {
  for (const register of registers.splice(0)) await register.close();
});

function register(plain: PlainS3): Register {
  const opened = openS3Register(plain.url, { token: TOKEN }, { env: {} });
  registers.push(opened);
  return opened;
}

async function failure(work: Promise<unknown>): Promise<LockError> {
  const error = await work.then(
    () => new Error("it succeeded"),
    (thrown: unknown) => thrown,
  );
  if (!isLockError(error)) throw error;
  expect(error.message).not.toContain(SECRET);
  return error;
}

describe("a server that ignores conditions", () => {
  it.each([["if-match"], ["if-none-match"], ["if-match", "if-none-match"]])(
    "is refused before anybody gets a lock: %s %s",
    async (...ignores) => {
      const plain = await PlainS3.start();
      plain.ignores = ignores.filter((each) => each !== undefined);
      const error = await refused(plain.url, { token: TOKEN });
      expect(error).toMatchObject({ code: "STORE_REFUSED" });
      expect(error.message).toMatch(
        /ignores If-(None-)?Match, so that two jobs could get the lock/,
      );
      expect([...plain.objects.keys()].filter((name) => name.includes("/locks/"))).toEqual([]);
      expect(await failure(register(plain).swap("k", null, "{}"))).toMatchObject({
        code: "STORE_REFUSED",
      });
    },
  );

  it("is refused where it says that it knows none", async () => {
    const plain = await PlainS3.start();
    plain.failNext(/^PUT .*probe/, { status: 501, code: "NotImplemented" });
    const error = await failure(register(plain).swap("k", null, "{}"));
    expect(error.code).toBe("STORE_REFUSED");
    expect(error.message).toMatch(/does not know conditional writes/);
  });

  it("is tried once a process, by two writes that fail, and once by one that creates", async () => {
    const plain = await PlainS3.start();
    const one = register(plain);
    await one.swap("k", null, '{"n":1}');
    await one.swap("l", null, '{"n":1}');
    const probes = () => plain.requests.filter((line) => line.includes("probe")).length;
    expect(probes()).toBe(3);
    await register(plain).swap("m", null, '{"n":1}');
    expect(probes()).toBe(5);
  });

  it("may be written to, as doctor finds out without a trace", async () => {
    const plain = await PlainS3.start();
    await register(plain).mayWrite?.();
    expect(plain.objects.size).toBe(0);
    plain.failNext(/^PUT/, { status: 403, code: "AccessDenied" });
    const error = await failure(register(plain).mayWrite?.() ?? Promise.resolve());
    expect(error.message).toMatch(
      /they need s3:GetObject, s3:PutObject and s3:DeleteObject on p\/\*/,
    );
  });
});

describe("a swap", () => {
  async function swapped(...faults: Fault[]) {
    const plain = await PlainS3.start();
    const one = register(plain);
    const first = await one.swap("k", null, '{"n":1}');
    if (first.outcome !== "done") throw new Error(`it is ${first.outcome}`);
    const told: string[] = [];
    plain.failNext(/^PUT .*locks/, ...faults);
    const onTrouble = (sentence: string) => told.push(sentence);
    const swap = await one.swap("k", first.version, '{"n":2}', { onTrouble });
    return { swap, told, text: (await one.read("k")).text };
  }

  it("that met another one is not known, and a read settles it", async () => {
    const fault = { status: 409, code: "ConditionalRequestConflict" };
    expect((await swapped(fault)).swap.outcome).toBe("unknown");
    const stands = await swapped({ ...fault, stands: true });
    expect(stands).toMatchObject({ swap: { outcome: "unknown" }, text: '{"n":2}' });
  });

  it.each([500, 502, 503, 504, 408])("whose answer is %i is not known", async (status) => {
    expect((await swapped({ status })).swap.outcome).toBe("unknown");
    const stands = await swapped({ status, code: "InternalError", stands: true });
    expect(stands).toMatchObject({ swap: { outcome: "unknown" }, text: '{"n":2}' });
  });

  it("of a document that somebody has deleted is a conflict", async () => {
    expect((await swapped({ status: 404, code: "NoSuchKey" })).swap.outcome).toBe("conflict");
  });

  it("waits where the server is rate-limiting requests, says so, and stands after", async () => {
    const { swap, told, text } = await swapped(
      { status: 503, code: "SlowDown", headers: { "retry-after": "0" } },
      { status: 429, headers: { "retry-after": "0" } },
    );
    expect(swap.outcome).toBe("done");
    expect(text).toBe('{"n":2}');
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(
      /^The S3 store s3:.* is rate-limiting requests \(503\): trying again in/,
    );
    expect(told[1]).toMatch(/rate-limiting requests \(429\)/);
  });

  it("that was put off by a 503 and then comes too late is not known: the first try may stand", async () => {
    const headers = { "retry-after": "0" };
    const busy = { status: 503, code: "SlowDown", headers };
    const late = await swapped({ ...busy, stands: true });
    expect(late).toMatchObject({ swap: { outcome: "unknown" }, text: '{"n":2}' });
    // 429 says that nothing was done: what then comes too late has lost to somebody else.
    const clear = await swapped(
      { status: 429, headers },
      { status: 412, code: "PreconditionFailed" },
    );
    expect(clear.swap.outcome).toBe("conflict");
  });
});

describe("refusals that only Amazon gives", () => {
  it.each<[Fault, string, RegExp]>([
    [
      { status: 301, code: "PermanentRedirect", headers: { "x-amz-bucket-region": "eu-west-3" } },
      "STORE_REFUSED",
      /has the bucket in the region eu-west-3: write \?region=eu-west-3, or set AWS_REGION to it/,
    ],
    [
      { status: 400, code: "AuthorizationHeaderMalformed", xml: "<Region>eu-west-3</Region>" },
      "STORE_REFUSED",
      /region eu-west-3/,
    ],
    [
      { status: 403, code: "RequestTimeTooSkewed", headers: { date: "" } },
      "STORE_REFUSED",
      /finds the clock of this machine wrong: set it right, best by NTP/,
    ],
    [{ status: 400, code: "ExpiredToken" }, "STORE_REFUSED", /the credentials have ended/],
    [
      { status: 403, code: "AllAccessDisabled" },
      "STORE_REFUSED",
      /docs\/engines\.md has the policy/,
    ],
    [{ status: 507, code: "InsufficientStorage" }, "STORE_FULL", /make room there/],
    [{ status: 500, code: "InternalError" }, "STORE_UNREACHABLE", /cannot answer just now/],
    [{ status: 200 }, "STORE_REFUSED", /does not answer as S3 does/],
    [{ status: 404 }, "STORE_REFUSED", /does not answer as S3 does .*check the endpoint/],
    [{ status: 400, code: "Strange" }, "STORE_REFUSED", /refuses \(400, "Strange: no"\)/],
  ])("%j", async (fault, code, sentence) => {
    const plain = await PlainS3.start();
    plain.failNext(/^GET/, fault);
    const error = await failure(register(plain).read("k"));
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(sentence);
  });
});

describe("sessions", () => {
  it("that were left over a day ago are cleaned, and no others", async () => {
    const plain = await PlainS3.start();
    const day = 24 * 60 * 60_000;
    const list = [
      ["p/sessions/old.json", Date.now() - day - 60_000],
      ["p/sessions/young.json", Date.now() - 60_000],
    ] as const;
    const contents = list.map(
      ([name, time]) =>
        `<Contents><Key>${name}</Key><LastModified>${new Date(time).toISOString()}</LastModified></Contents>`,
    );
    const page = (text: string, more: string) =>
      ({
        status: 200,
        code: "x",
        xml: `<ListBucketResult >${text}${more}</ListBucketResult>`,
      }) as const;
    const first = page(
      contents[0] as string,
      "<IsTruncated>true</IsTruncated><NextContinuationToken>a+b/c=&amp;</NextContinuationToken>",
    );
    plain.failNext(
      /^GET .*sessions/,
      first,
      page(contents[1] as string, "<IsTruncated>false</IsTruncated>"),
    );
    expect(await register(plain).tidy?.({ dryRun: false })).toEqual(["p/sessions/old.json"]);
    expect(plain.requests).toEqual([
      "GET /bucket/?list-type=2&prefix=p%2Fsessions%2F",
      "DELETE /bucket/p/sessions/old.json",
      "GET /bucket/?list-type=2&prefix=p%2Fsessions%2F&continuation-token=a%2Bb%2Fc%3D%26",
    ]);
  });

  it("are gone when their claims have ended", async () => {
    const plain = await PlainS3.start();
    const store = await open(plain.url, { token: TOKEN });
    const holding = await hold(store, "holder");
    const sessions = () => [...plain.objects.keys()].filter((name) => name.includes("/sessions/"));
    expect(sessions()).toHaveLength(1);
    await holding.release();
    await store.close();
    expect(sessions()).toEqual([]);
  });

  it("that somebody deletes are not dead: a holder makes its own again", async () => {
    const plain = await PlainS3.start();
    const [one, other] = [register(plain), register(plain)];
    await one.session("b", 3_000).renew();
    expect((await other.alive(["b"])).get("b")).toBe(true);
    plain.objects.clear();
    const isAlive = async () => (await other.alive(["b"])).get("b") ?? null;
    await expect.poll(isAlive, { timeout: 10_000 }).toBe(null);
    await one.session("b", 3_000).renew();
    await expect.poll(isAlive, { timeout: 10_000 }).toBe(true);
    // One that was never seen to live says nothing.
    expect((await other.alive(["nobody"])).has("nobody")).toBe(false);
  });

  it("that are old when they are first seen may live or not, until they were watched", async () => {
    const plain = await PlainS3.start();
    const [one, other] = [register(plain), register(plain)];
    await one.session("b", 3_000).renew();
    for (const object of plain.objects.values()) object.written = Date.now() - 60_000;
    const began = performance.now();
    const isAlive = async () => (await other.alive(["b"])).get("b") ?? null;
    expect(await isAlive()).toBe(null);
    await expect.poll(isAlive, { timeout: 20_000 }).toBe(false);
    expect(performance.now() - began).toBeGreaterThan(3_000);
    await one.session("b", 3_000).renew();
    expect(await isAlive()).toBe(true);
  });
});
