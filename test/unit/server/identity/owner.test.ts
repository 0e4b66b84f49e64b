import { describe, expect, test } from "vitest";
import { ownerOf } from "../../../../src/server/identity/owner.ts";
import { githubClaims } from "../../../helpers/identity/issuer.ts";

const GITHUB = "https://token.actions.githubusercontent.com";

function of(claims: Record<string, unknown>, url = "https://ci.test", said = {}) {
  return ownerOf({ issuer: "ours", claims }, url, said);
}

/** Claims as the systems document them, and as far as an owner is made of them. */
const SYSTEMS: [string, string, Record<string, unknown>, object][] = [
  [
    "GitHub",
    GITHUB,
    githubClaims(),
    {
      owner: {
        id: "ci-github-456-1-987",
        metadata: {
          ci_system: "github",
          repository: "acme/shop",
          ref: "refs/heads/main",
          run_id: "456",
          run_attempt: "1",
          job: "987",
          actor: "ann",
          workflow: "Release",
          run_url: "https://github.com/acme/shop/actions/runs/456",
        },
      },
      run: `${GITHUB}/acme/shop/runs/456/attempts/1`,
    },
  ],
  [
    "Forgejo, which names no job",
    "https://git.acme.dev/api/actions",
    githubClaims({ check_run_id: undefined }),
    {
      owner: {
        id: "ci-actions-456-1",
        metadata: { ci_system: "actions", repository: "acme/shop" },
      },
      run: "https://git.acme.dev/api/actions/acme/shop/runs/456/attempts/1",
    },
  ],
  [
    "GitLab",
    "https://gitlab.com",
    {
      project_path: "acme/shop",
      project_id: "42",
      pipeline_id: "574",
      job_id: "302",
      ref: "main",
      sha: "714a629",
      user_login: "ann",
    },
    {
      owner: {
        id: "ci-gitlab-574-302",
        metadata: { repository: "acme/shop", ref: "main", run_id: "574", job: "302", actor: "ann" },
      },
      run: "https://gitlab.com/acme/shop/pipelines/574",
    },
  ],
  [
    "Buildkite",
    "https://agent.buildkite.com",
    {
      organization_slug: "acme",
      pipeline_slug: "shop",
      build_number: 1,
      build_branch: "main",
      build_commit: "9f3182",
      job_id: "0184990a-477b",
      step_key: "deploy",
    },
    {
      owner: {
        id: "ci-buildkite-0184990a-477b",
        metadata: { repository: "acme/shop", ref: "main", run_id: "1", job: "deploy" },
      },
      run: "https://agent.buildkite.com/acme/shop/builds/1",
    },
  ],
  [
    "CircleCI",
    "https://oidc.circleci.com/org/1",
    {
      "oidc.circleci.com/job-id": "j-1",
      "oidc.circleci.com/workflow-id": "w-1",
      "oidc.circleci.com/vcs-origin": "github.com/acme/shop",
      "oidc.circleci.com/vcs-ref": "refs/heads/main",
    },
    {
      owner: {
        id: "ci-circleci-j-1",
        metadata: { repository: "github.com/acme/shop", run_id: "w-1" },
      },
      run: "https://oidc.circleci.com/org/1/workflows/w-1",
    },
  ],
];

describe("the owner of what a job holds", () => {
  test.each(SYSTEMS)("is made of the claims of %s", (_system, url, claims, expected) => {
    expect(of(claims, url)).toMatchObject(expected);
  });

  test("is another for each job whose issuer is unknown, and belongs to no run", () => {
    const [one, two] = ["repo:a", "repo:b"].map((sub) => of({ sub }));
    expect(one?.owner.id).toMatch(/^ci-ours-[0-9a-f]{20}$/);
    expect(one?.owner.id).not.toBe(two?.owner.id);
    expect(one?.run).toBeNull();
  });

  test("has no field from its client but those that no issuer knows", () => {
    const said = {
      hostname: "r-3",
      process_id: 7,
      purpose: "automated",
      actor: "boss",
      repository: "evil/evil",
      ref: "refs/heads/release",
      run_url: "https://evil.test",
      ci_system: "github",
      user_identity: "boss",
      job: "1",
    };
    const { metadata } = of(githubClaims({ actor: undefined }), "https://ci.test", said).owner;
    expect(metadata).toMatchObject({ hostname: "r-3", process_id: 7, repository: "acme/shop" });
    expect(metadata).toMatchObject({ ci_system: "actions", ref: "refs/heads/main", job: "987" });
    for (const field of ["actor", "run_url", "user_identity"]) {
      expect(metadata).not.toHaveProperty(field);
    }
  });

  test("stays one line of bounded length, whatever a branch or a person is called", () => {
    const { owner, run } = of(
      githubClaims({
        ref: "refs/heads/x\n::set-output name=y::z\u001b[2K",
        actor: "\u202eann\u0000",
        workflow: "w".repeat(5_000),
        check_run_id: "9".repeat(5_000),
        repository: "acme/shop",
        sha: "\ud800",
        head_ref: { toString: "x" },
      }),
    );
    const { ref, actor, workflow } = owner.metadata as Record<string, string>;
    expect(`${ref}${actor}${owner.id}${run}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(Buffer.byteLength(workflow ?? "")).toBeLessThanOrEqual(1_000);
    expect(Buffer.byteLength(owner.id)).toBeLessThanOrEqual(256);
    expect(JSON.stringify(owner)).not.toMatch(/\\ud800/i);
  });
});
