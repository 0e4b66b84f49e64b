import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { METADATA_FIELDS } from "../../../src/lock/owner.ts";
import { byteLength } from "../../../src/lock/text.ts";
import {
  furtherIntroductions,
  type Introduction,
  introductionRequest,
  joinIntroductions,
  parseIntroduction,
} from "../../../src/wire/introduction.ts";
import {
  formatRequest,
  LINE_LIMIT,
  type Request,
  statsRequest,
} from "../../../src/wire/request.ts";
import { RequestReader } from "../../../src/wire/request-reader.ts";
import {
  askedKey,
  isHoldfast,
  keyHistoryRequest,
  keyStatsRequest,
  parseStats,
} from "../../../src/wire/stats.ts";

/** Over the wire and back, as the server sees it. */
function overTheWire(request: Request): Request {
  const reader = new RequestReader();
  reader.push(Buffer.from(formatRequest(request)));
  return reader.next() as Request;
}

function introduce(introduction: Introduction): Introduction | null {
  return parseIntroduction(overTheWire(introductionRequest(introduction)));
}

describe("an introduction", () => {
  it("tells who asks, from where and for what", () => {
    const introduction: Introduction = {
      owner: {
        id: "ci-github-456-1-deploy",
        metadata: {
          run_url: "https://example.com/o/r/actions/runs/456?a=b&c=d",
          hostname: "runner-3",
          process_id: 4711,
          job: "deploy",
        },
      },
      note: "v1.2.3 = 100 % done",
      claim: "0123456789abcdef",
    };
    expect(introduce(introduction)).toEqual(introduction);
  });

  it.each(METADATA_FIELDS.filter((field) => !/^(?:reclaimed|migrated)/.test(field)))(
    "tells the field %s, as a lock file does",
    (field) => {
      const metadata = { [field]: field === "process_id" ? 4711 : "12" };
      expect(introduce({ owner: { id: "ci-1", metadata }, note: null })?.owner).toEqual({
        id: "ci-1",
        metadata,
      });
    },
  );

  it("needs nothing but an owner", () => {
    const introduction = { owner: { id: "pid-1@host", metadata: {} }, note: null };
    expect(introduce(introduction)).toEqual(introduction);
  });

  it("keeps the whole owner, and what is most telling, when there is too much", () => {
    const id = "ö".repeat(128);
    const told = introduce({
      owner: {
        id,
        metadata: {
          actor: "somebody",
          run_url: `https://example.com/${"x".repeat(150)}`,
          sha: "a".repeat(40),
        },
      },
      note: "a long note ".repeat(80),
    });
    expect(told?.owner.id).toBe(id);
    expect(told?.owner.metadata.run_url).toHaveLength(170);
    expect(told?.note).toMatch(/^a long note a long/);
    expect(told?.owner.metadata.sha).toBeUndefined();
  });

  it("is told in several, where one has no room for all, and is put together again", () => {
    const metadata = {
      ci_system: "github",
      run_id: "12345678901",
      run_attempt: "1",
      job: "deploy-to-production",
      workflow: "Release and deploy",
      repository: "acme/a-shop-with-a-rather-long-name",
      ref: "refs/heads/feature/with-a-name-that-tells-everything-about-it",
      sha: "a".repeat(40),
      actor: "somebody",
      run_url: "https://github.com/acme/a-shop-with-a-rather-long-name/actions/runs/12345678901",
      hostname: "runner-3.internal.example.com",
      process_id: 4711,
    };
    const introduction = {
      owner: { id: "ci-github-12345678901-1-deploy-to-production", metadata },
      note: "a note that takes some room ".repeat(5).trim(),
      claim: "0123456789abcdef",
    };
    const requests = [introductionRequest(introduction), ...furtherIntroductions(introduction)];
    expect(requests.length).toBeGreaterThan(1);
    let told: Introduction | null = null;
    for (const request of requests) {
      expect(byteLength(request.key)).toBeLessThanOrEqual(LINE_LIMIT);
      told = joinIntroductions(told, parseIntroduction(overTheWire(request)) as Introduction);
    }
    expect(told).toEqual(introduction);
    // What people need is in the first, should a server know no further ones.
    const { repository, workflow, actor } = metadata;
    expect(introduce(introduction)?.owner.metadata).toMatchObject({ repository, workflow, actor });
  });

  it("ends, also with what no line has room for", () => {
    const introduction = {
      owner: { id: "owner", metadata: { run_url: "x".repeat(500), hostname: "h" } },
      note: "n".repeat(900),
    };
    expect(furtherIntroductions(introduction).length).toBeLessThanOrEqual(4);
    expect(introduce(introduction)?.owner.metadata).toEqual({ hostname: "h" });
  });

  it("of another owner begins anew", () => {
    const first = { owner: { id: "a", metadata: { job: "x" } }, note: "n", claim: "c" };
    const second = { owner: { id: "b", metadata: {} }, note: null };
    expect(joinIntroductions(first, second)).toEqual(second);
  });

  it("never breaks the frame, whatever it says", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 300 });
    fc.assert(
      fc.property(text, text, text, (note, url, host) => {
        const request = introductionRequest({
          owner: { id: "owner", metadata: { run_url: url, hostname: host } },
          note,
        });
        expect(byteLength(request.key)).toBeLessThanOrEqual(LINE_LIMIT);
        expect(parseIntroduction(overTheWire(request))?.owner.id).toBe("owner");
      }),
    );
  });

  it.each([
    statsRequest(),
    statsRequest("holdfast/2 hostname=x", "owner"),
    statsRequest("holdfast/1 ", ""),
    statsRequest("holdfast/1 hostname=%", "owner"),
    statsRequest("holdfast/1 ", "o\u0007wner"),
  ])("is not seen in %j", (request) => {
    expect(parseIntroduction(request)).toBeNull();
  });

  it("drops fields that it does not know, and control characters", () => {
    const told = parseIntroduction(
      statsRequest("holdfast/1 __proto__=x&nothing&hostname=a%0Ab", "owner"),
    );
    expect(told).toEqual({ owner: { id: "owner", metadata: { hostname: "a b" } }, note: null });
  });
});

describe("stats", () => {
  it("can be asked for one key, which is no introduction", () => {
    const request = overTheWire(keyStatsRequest("org/repo"));
    expect(askedKey(request)).toEqual({ key: "org/repo", history: false });
    const past = overTheWire(keyHistoryRequest("org/repo"));
    expect(askedKey(past)).toEqual({ key: "org/repo", history: true });
    expect(parseIntroduction(request)).toBeNull();
    expect(askedKey(statsRequest())).toBeNull();
  });

  it("of a foreign server are read, also where its lists are null", () => {
    const stats = parseStats(
      '{"connections":2,"locks":[{"key":"k","owner_conn_id":3,"lease_expires_in_s":25.4,"waiters":1},5],"semaphores":null,"idle_locks":[],"idle_semaphores":null}',
    );
    expect(stats?.locks).toEqual([
      { key: "k", owner_conn_id: 3, lease_expires_in_s: 25.4, waiters: 1 },
    ]);
    expect(stats?.semaphores).toEqual([]);
    expect(stats !== null && isHoldfast(stats)).toBe(false);
  });

  it.each(["", "5", "null", "{}", '{"connections":1,"locks":5}', "{"])(
    "are not seen in %j",
    (json) => {
      expect(parseStats(json)).toBeNull();
    },
  );
});
