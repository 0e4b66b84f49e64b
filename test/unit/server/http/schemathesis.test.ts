import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { isThere } from "../../../helpers/needs.ts";
import { startHttp } from "../../../helpers/server/http-server.ts";

/**
 * Schemathesis, a tool of Python's that makes up requests from the description: `pip install
 * schemathesis`. Nothing is installed here; a machine without it skips this, and says so.
 */
const tool = process.env.HOLDFAST_SCHEMATHESIS || "schemathesis";
const hasTool = isThere("Schemathesis", spawnSync(tool, ["--version"]).status === 0);
const description = fileURLToPath(new URL("../../../../docs/openapi.json", import.meta.url));

/**
 * What is not looked at: this server has no token, so that one session may ask for everything; and
 * parameters that an operation does not read are not judged.
 */
const LEFT_OUT = [
  "ignored_auth",
  "missing_required_header",
  "positive_data_acceptance",
  "negative_data_rejection",
  "unsupported_method",
];

describe.skipIf(!hasTool)("docs/openapi.json, as Schemathesis reads it", () => {
  it("describes every answer to hundreds of made-up requests", { timeout: 300_000 }, async () => {
    const { port, session } = await startHttp({ "max-locks": "0" });
    const { id } = await session();
    const { stdout } = await promisify(execFile)(
      tool,
      [
        ...["run", description, "--url", `http://127.0.0.1:${port}`],
        ...["--header", `Authorization: Bearer ${id}`, "--max-examples", "10"],
        // A stream has no end, the page no schema; and the session has to last.
        ...["--exclude-path", "/admin/events", "--exclude-path", "/"],
        ...["--exclude-operation-id", "openSession", "--exclude-operation-id", "endSession"],
        ...["--exclude-checks", LEFT_OUT.join(","), "--request-timeout", "70"],
      ],
      { cwd: temporaryDirectory(), env: { ...process.env, NO_COLOR: "1" } },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toMatch(/\d{3,} generated/);
    expect(stdout).not.toMatch(/failures? in|found \d+ unique/);
  });
});
