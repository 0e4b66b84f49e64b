/** What CI cannot have, and why: tests that need it are skipped there too. */
const NOT_IN_CI: Readonly<Record<string, string>> = {
  MinIO: "no distribution packages it; MINIO_BIN names one",
  dflockd: "it is not published; DFLOCKD_BIN names one",
  semats: "it is not published; SEMATS_CLI names one",
  Schemathesis: "it comes from another package manager; HOLDFAST_SCHEMATHESIS names one",
  Porcupine: "it is built from Go modules, which a machine without a network does not get",
  act: "it is built from Go modules, likewise",
  "systemd-analyze": "a container has no systemd",
  "an older Node": "most machines have one Node; HOLDFAST_OLDER_NODE names another",
  zsh: "a shell that few machines have",
  fish: "a shell that few machines have",
};

/**
 * Whether something that a test needs is there. Without it the test is skipped on a person's machine.
 * In CI that would hide a broken setup for ever, so there it is an error.
 */
export function isThere(name: string, found: boolean): boolean {
  if (found || !process.env.CI || Object.hasOwn(NOT_IN_CI, name)) return found;
  throw new Error(
    `${name} is missing, and CI must have it: install it in .ci/run and in .github/workflows/ci.yml, or give the reason in test/helpers/needs.ts.`,
  );
}
