import { describe, expect, it } from "vitest";
import { loginOf, parseGitAddress } from "../../../../../src/stores/engines/git/address.ts";

const JOB = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "acme/app" };
const PLAIN = "refs/holdfast/v1/";

describe("a git store's URL", () => {
  it.each([
    ["github", JOB, "github:acme/app", "https://github.com", "/acme/app.git", PLAIN],
    [
      "GitHub",
      { GITHUB_REPOSITORY: "acme/app" },
      "github:acme/app",
      "https://github.com",
      "/acme/app.git",
      PLAIN,
    ],
    ["github:", JOB, "github:acme/app", "https://github.com", "/acme/app.git", PLAIN],
    [
      "github:other/repo.js",
      JOB,
      "github:other/repo.js",
      "https://github.com",
      "/other/repo.js.git",
      PLAIN,
    ],
    [
      "github:other/repo.git",
      {},
      "github:other/repo",
      "https://github.com",
      "/other/repo.git",
      PLAIN,
    ],
    [
      "github?ref=refs/heads/locks",
      JOB,
      "github:acme/app?ref=refs/heads/locks/",
      "https://github.com",
      "/acme/app.git",
      "refs/heads/locks/",
    ],
    [
      "github",
      { GITHUB_SERVER_URL: "http://gitea.local:3000/", GITHUB_REPOSITORY: "a/b" },
      "git+http://gitea.local:3000/a/b.git",
      "http://gitea.local:3000",
      "/a/b.git",
      PLAIN,
    ],
    [
      "git+https://Host/path.git",
      {},
      "git+https://host/path.git",
      "https://host",
      "/path.git",
      PLAIN,
    ],
    ["git+https://host:443/p/q/", {}, "git+https://host/p/q", "https://host", "/p/q", PLAIN],
    [
      "GIT+HTTP://[::1]:8080/p.git",
      {},
      "git+http://[::1]:8080/p.git",
      "http://[::1]:8080",
      "/p.git",
      PLAIN,
    ],
    ["git+https://me@host/p.git", {}, "git+https://me@host/p.git", "https://host", "/p.git", PLAIN],
    [
      "git+https://me:pa%2Fss@host/p.git",
      {},
      "git+https://me@host/p.git",
      "https://host",
      "/p.git",
      PLAIN,
    ],
    ["git+https://:pass@host/p.git", {}, "git+https://host/p.git", "https://host", "/p.git", PLAIN],
    [
      "git+https://host/p.git?ref=refs/holdfast/v1/",
      {},
      "git+https://host/p.git",
      "https://host",
      "/p.git",
      PLAIN,
    ],
  ])("%s", (text, env, shown, origin, path, prefix) => {
    const address = parseGitAddress(text, env);
    expect(address).toMatchObject({ shown, origin, path, prefix });
    // What is shown opens the same store again, also where the variables are gone.
    expect(parseGitAddress(shown, {})).toMatchObject({ shown, origin, path, prefix });
  });

  it.each([
    ["github", {}, "github:owner/repo"],
    ["github:", {}, "github:owner/repo"],
    ["github:justowner", JOB, "github:owner/repo"],
    ["github:a/b/c", JOB, "github:owner/repo"],
    ["github:a/..", JOB, "github:owner/repo"],
    ["github:a b/c", JOB, "github:owner/repo"],
    ["github", { GITHUB_REPOSITORY: "a/b", GITHUB_SERVER_URL: "github.com" }, "GITHUB_SERVER_URL"],
    ["github", { GITHUB_REPOSITORY: "a/b", GITHUB_SERVER_URL: "ftp://x" }, "GITHUB_SERVER_URL"],
    ["git+https://", {}, "git+https://host/path.git"],
    ["git+https:host/path", {}, "git+https://host/path.git"],
    ["git+https://host", {}, "git+https://host/path.git"],
    ["git+https://host/", {}, "names no repository"],
    ["git+https://host:0/p.git", {}, "no good host"],
    ["git+https://host/a//b", {}, "single slashes"],
    ["git+https://host/a/../b", {}, "single slashes"],
    ["git+https://host/a/%2e%2e/b", {}, "single slashes"],
    ["git+https://host/a b", {}, "single slashes"],
    ["git+https://host/p.git#x", {}, "fragment"],
    ["git+https://host/p.git?branch=x", {}, "?ref="],
    ["git+https://host/p.git?ref=a&ref=b", {}, "?ref="],
    ["git+https://host/p.git?ref=locks/", {}, "refs/heads/locks/"],
    ["git+https://host/p.git?ref=refs/heads/", {}, "refs/heads/locks/"],
    ["git+https://host/p.git?ref=refs/tags", {}, "refs/tags/locks/"],
    ["git+https://host/p.git?ref=refs/", {}, "refs/holdfast/v1/"],
    ["git+https://host/p.git?ref=refs/a..b/", {}, "plain names"],
    ["git+https://host/p.git?ref=refs/a.lock/", {}, "plain names"],
    ["git+https://host/p.git?ref=refs//a/", {}, "plain names"],
    [`git+https://host/p.git?ref=refs/${"a".repeat(100)}/`, {}, "plain names"],
    ["git+https://me:50%@host/p.git", {}, "percent-encoded"],
  ])("%s is refused, and it is said what would be right", (text, env, hint) => {
    const parse = () => parseGitAddress(text, env);
    expect(parse).toThrow(expect.objectContaining({ code: "BAD_STORE" }));
    expect(parse).toThrow(hint);
  });

  it.each([
    "git+https://me:s3cret@host",
    "git+https://me:s3cret@host/a//b",
    "git+https://me:s3cret@host/p.git?x=1",
    "git+https://me:s3cret%@host/p.git",
    "git+https:me:s3cret@host/p.git",
    "git+https://me:s3cret@host:0/p.git",
    "git+https://me:s3/cret@host/p.git",
    "git+https://me:s3cret@ho st/p.git#",
    "github:me:s3cret@a/b",
    "git+https://me:s3cret@",
  ])("%s is refused without its password", (text) => {
    try {
      parseGitAddress(text, JOB);
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toMatch(/s3|cret/);
      expect(error).toMatchObject({ code: "BAD_STORE" });
    }
  });
});

describe("the password", () => {
  const basic = (url: string, token: string | undefined, env: Record<string, string>) => {
    const { authorization } = loginOf(
      parseGitAddress(url, env),
      token === undefined ? {} : { token },
      env,
    );
    return authorization === null
      ? null
      : Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString();
  };
  const TOKENS = { GITHUB_TOKEN: "ghs_job", GH_TOKEN: "gho_cli" };

  it.each([
    ["github", "mine", { ...JOB, ...TOKENS }, "x-access-token:mine"],
    ["github", undefined, { ...JOB, ...TOKENS }, "x-access-token:ghs_job"],
    ["github", " \n", { ...JOB, GH_TOKEN: "gho_cli" }, "x-access-token:gho_cli"],
    ["github", undefined, JOB, null],
    ["git+https://github.com/a/b.git", undefined, TOKENS, "x-access-token:ghs_job"],
    ["git+https://host/p.git", "user:pass:word", {}, "user:pass:word"],
    ["git+https://host/p.git", "bare\n", {}, "x-access-token:bare"],
    ["git+https://me@host/p.git", "pass:word", {}, "me:pass:word"],
    ["git+https://me:own%40%2F@host/p.git", "other", {}, "me:own@/"],
    ["git+https://:own@host/p.git", undefined, {}, "x-access-token:own"],
  ])("of %s with %j", (url, token, env, pair) => {
    expect(basic(url, token, env)).toBe(pair);
  });

  it("of a forge goes to that forge alone", () => {
    expect(basic("git+https://evil.example/a/b.git", undefined, { ...JOB, ...TOKENS })).toBeNull();
    expect(basic("git+http://github.com/a/b.git", undefined, { ...JOB, ...TOKENS })).toBeNull();
    const gitea = { GITHUB_SERVER_URL: "https://gitea.example", ...TOKENS };
    expect(basic("git+https://github.com/a/b.git", undefined, gitea)).toBeNull();
    expect(basic("git+https://gitea.example/a/b.git", undefined, gitea)).toBe(
      "x-access-token:ghs_job",
    );
  });

  it("is refused where it cannot be sent", () => {
    expect(() => basic("git+https://host/p.git", "a\nb", {})).toThrow(
      expect.objectContaining({ code: "BAD_OPTION" }),
    );
  });
});
