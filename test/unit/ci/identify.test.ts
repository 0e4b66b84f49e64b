import { describe, expect, test } from "vitest";
import { identify } from "../../../src/ci/index.ts";
import { checkMetadata, parseLocalOwnerId, parseOwnerId } from "../../../src/lock/owner.ts";
import { MACHINE, MARKS, RECORDED, type Recorded, surroundings } from "./recorded.ts";

const github = RECORDED[0] as Recorded;

describe("outside CI", () => {
  test("a person at a terminal is user, host and pid", () => {
    expect(identify(surroundings({}))).toEqual({
      system: null,
      environment: "local",
      purpose: "interactive",
      user: "builder",
      owner: {
        id: "pid-4711@runner-3",
        metadata: {
          hostname: "runner-3",
          process_id: 4711,
          user_identity: "builder",
          environment: "local",
          purpose: "interactive",
        },
      },
    });
  });

  test("a container is one, but CI in a container is CI", () => {
    expect(identify(surroundings({}, { isContainer: true })).environment).toBe("container");
    expect(identify(surroundings({ CI: "true" }, { isContainer: true })).environment).toBe("ci");
  });

  test("a session is known by user and session, and says so in the metadata", () => {
    const { owner } = identify(surroundings({ HOLDFAST_SESSION: "sess_abc123" }));
    expect(owner.id).toBe("user-builder@session-sess_abc123");
    expect(owner.metadata.session_id).toBe("sess_abc123");
  });

  test("a session is of no account in CI", () => {
    const { owner } = identify(surroundings({ ...github.env, HOLDFAST_SESSION: "sess_abc123" }));
    expect(owner.id).toBe(github.owner);
    expect(owner.metadata).not.toHaveProperty("session_id");
  });

  test("a cloud session is known by its token, which is nowhere to be read", () => {
    const env = { HOLDFAST_SESSION_TOKEN: "not-to-be-shown", HOLDFAST_SESSION: "sess_abc123" };
    const cloud = identify(surroundings(env), { environment: "cloud" });
    expect(cloud.owner.id).toMatch(/^token-[0-9a-f]{20}$/);
    expect(JSON.stringify(cloud)).not.toContain("not-to-be-shown");
    expect(identify(surroundings(env)).owner.id).toBe("user-builder@session-sess_abc123");
  });

  test("a cloud session without a token is a session, or a process", () => {
    const owner = (env: Record<string, string>) =>
      identify(surroundings(env), { environment: "cloud" }).owner.id;
    expect(owner({ HOLDFAST_SESSION: "s1" })).toBe("user-builder@session-s1");
    expect(owner({ HOLDFAST_SESSION_TOKEN: "" })).toBe("pid-4711@runner-3");
  });

  test("the pid and host of a local owner can be read back", () => {
    expect(parseLocalOwnerId(identify(surroundings({})).owner.id)).toEqual({
      pid: MACHINE.pid,
      hostname: MACHINE.hostname,
    });
  });
});

describe("the user", () => {
  const env = { ...github.env, HOLDFAST_USER: "deployer" };

  test.each([
    ["what the caller says", env, { user: "somebody" }, "somebody"],
    ["then HOLDFAST_USER", env, {}, "deployer"],
    ["then the actor of the run", github.env, {}, "hubot"],
    ["then the user of the system", { CI: "true" }, {}, "builder"],
    ["a blank one does not count", { ...github.env, HOLDFAST_USER: " " }, { user: "" }, "hubot"],
  ])("is %s", (_name, variables: Record<string, string>, overrides, user) => {
    const identity = identify(surroundings(variables), overrides);
    expect(identity.user).toBe(user);
    expect(identity.owner.metadata.user_identity).toBe(user);
  });

  test("the actor of the run stays in the metadata", () => {
    expect(identify(surroundings(env), { user: "x" }).owner.metadata.actor).toBe("hubot");
  });

  test("two users of whom nothing is known are not the same user", () => {
    const identity = identify(surroundings({}, { user: "" }));
    expect(identity.user).toBe("unknown");
    expect(identity.owner.metadata).not.toHaveProperty("user_identity");
  });
});

describe("what the caller says", () => {
  test("wins over what is found", () => {
    const identity = identify(surroundings(github.env), {
      owner: "release train 7",
      purpose: "emergency",
      environment: "container",
      leg: "1",
    });
    expect(identity.owner.id).toBe("release train 7");
    expect(identity).toMatchObject({
      purpose: "emergency",
      environment: "container",
      system: "github",
    });
    expect(identity.owner.metadata).toMatchObject({
      purpose: "emergency",
      environment: "container",
      run_id: "1658821493",
    });
  });

  test.each([
    ["an empty one", ""],
    ["a blank one", "  "],
    ["one of two lines", "two\nlines"],
    ["one of 257 bytes", "x".repeat(257)],
  ])("is refused as an owner: %s", (_name, owner) => {
    expect(() => identify(surroundings(github.env), { owner })).toThrowError(
      expect.objectContaining({ code: "BAD_OWNER" }),
    );
  });
});

describe("hostile variables", () => {
  const forged = "deploy\nowner=root\u001b[2Jpid=1\u0085";
  const long = "é".repeat(5_000);

  test("a job name cannot forge a line or move the cursor", () => {
    const { owner } = identify(
      surroundings({ ...github.env, GITHUB_JOB: forged, GITHUB_REF: forged }),
    );
    expect(owner.id).toBe("ci-github-1658821493-2-deploy_owner=root_[2Jpid=1");
    expect(owner.metadata.ref).toBe("deploy owner=root [2Jpid=1");
  });

  test("a name of 10 kB is cut, and two that differ at the end stay different", () => {
    const of = (job: string) =>
      identify(surroundings({ ...github.env, GITHUB_JOB: job, GITHUB_REF: job })).owner;
    const [one, two] = [of(`${long}1`), of(`${long}2`)];
    expect(parseOwnerId(one.id)).toMatch(/^ci-github-1658821493-2-é+~[0-9a-f]{12}$/);
    expect(one.id).not.toBe(two.id);
    expect(Buffer.byteLength(one.id)).toBeLessThanOrEqual(256);
    expect(Buffer.byteLength(String(one.metadata.ref))).toBeLessThanOrEqual(256);
    expect(checkMetadata(one.metadata)).toBe(one.metadata);
  });

  test("a leg after a long job name still tells the legs apart", () => {
    const owner = (leg: string) =>
      identify(surroundings({ ...github.env, GITHUB_JOB: long }), { leg }).owner.id;
    expect(owner("1")).not.toBe(owner("2"));
  });

  test("users with long names stay different users", () => {
    const user = (name: string) => identify(surroundings({}, { user: name })).user;
    expect(user(`${long}1`)).not.toBe(user(`${long}2`));
  });

  test("half a surrogate pair becomes printable", () => {
    const { owner } = identify(surroundings({ CI_SYSTEM: "a\ud800", CI_RUN_ID: "\udc00" }));
    expect(owner.id).toBe("ci-a\ufffd-\ufffd");
  });

  test("a matrix leg of many lines becomes one word", () => {
    const leg = JSON.stringify({ os: "linux", node: 24 }, null, 2);
    expect(identify(surroundings(github.env), { leg }).owner.id).toBe(
      `${github.owner}-{_"os":_"linux",_"node":_24_}`,
    );
  });

  test("a machine without a name is still a holder that can be named", () => {
    expect(identify(surroundings({}, { hostname: "\n" })).owner.id).toBe("pid-4711@unknown");
  });

  test.each(RECORDED)("128 kB of slashes in every variable of $name take no time", ({ env }) => {
    const slashes = `https://x/${"/".repeat(131_000)}x`;
    const hostile = Object.entries(env).map(([name, value]) => [
      name,
      MARKS.includes(name) ? value : slashes,
    ]);
    const started = performance.now();
    parseOwnerId(identify(surroundings(Object.fromEntries(hostile))).owner.id);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("the address of the run", () => {
  const urlOf = (link: string) =>
    identify(surroundings({ DRONE: "true", DRONE_BUILD_LINK: link })).owner.metadata.run_url;

  test.each([
    ["a script", "javascript:alert(1)"],
    ["a file", "file:///etc/passwd"],
    ["another protocol", "ftp://ci.example.com/1"],
    ["a name of Azure's own", "vstfs:///Build/Build/1430"],
    ["a path", "/relative"],
    ["a text", "no address"],
    ["too long to be kept whole", `https://ci.example.com/${"x".repeat(10_000)}`],
  ])("is left out where it is %s", (_name, link) => {
    expect(urlOf(link)).toBeUndefined();
  });

  test("is shown without credentials and without control characters", () => {
    expect(urlOf("https://carol:s3cret@ci.example.com/42\n\u001b[31m")).toBe(
      "https://ci.example.com/42%20[31m",
    );
  });
});

describe("the repository of a clone URL", () => {
  const repositoryOf = (url: string) =>
    identify(surroundings({ BUILDKITE: "true", BUILDKITE_REPO: url })).owner.metadata.repository;

  test.each([
    ["git@github.com:acme/shop.git", "acme/shop"],
    ["ssh://git@git.example.com:2222/acme/shop.git", "acme/shop"],
    ["https://carol:s3cret@github.com/acme/shop.git", "acme/shop"],
    ["https://github.com/acme/shop.git/?token=s3cret", "acme/shop"],
    ["https://gitlab.example.com/group/sub/shop", "group/sub/shop"],
    ["/srv/git/shop.git", undefined],
  ])("%s", (url, repository) => {
    expect(repositoryOf(url)).toBe(repository);
  });
});

describe("a runner's token that is none of Gitea's", () => {
  test.each([
    ["no token", undefined],
    ["no JSON", "a.b.c"],
    ["a token without a job", `a.${Buffer.from("{}").toString("base64url")}.c`],
    ["JSON that is no object", `a.${Buffer.from("null").toString("base64url")}.c`],
    ["a job that is no number", `a.${Buffer.from('{"JobID":"x\\n"}').toString("base64url")}.c`],
  ])("%s: the owner is without the leg", (_, token) => {
    const env = {
      GITEA_ACTIONS: "true",
      GITHUB_RUN_ID: "12",
      GITHUB_JOB: "deploy",
      ...(token === undefined ? {} : { ACTIONS_RUNTIME_TOKEN: token }),
    };
    expect(identify(surroundings(env)).owner.id).toBe("ci-gitea-12-1-deploy");
  });
});
