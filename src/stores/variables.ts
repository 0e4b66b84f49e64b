/** Variables of an environment, as a store is given them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Every variable that a store reads beside Holdfast's own. `secret`: it is sent to the store. `proxy`:
 * it may hold a password, which is sent to the proxy. `plain`: anybody may read it.
 */
const KINDS: Readonly<Record<string, "secret" | "proxy" | "plain">> = {
  PGPASSWORD: "secret",
  REDISCLI_AUTH: "secret",
  AWS_ACCESS_KEY_ID: "secret",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_SESSION_TOKEN: "secret",
  GITHUB_TOKEN: "secret",
  GH_TOKEN: "secret",
  HOLDFAST_ID_TOKEN: "secret",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "secret",
  ACTIONS_ID_TOKEN_REQUEST_URL: "plain",
  http_proxy: "proxy",
  HTTP_PROXY: "proxy",
  https_proxy: "proxy",
  HTTPS_PROXY: "proxy",
  no_proxy: "plain",
  NO_PROXY: "plain",
  PGUSER: "plain",
  AWS_REGION: "plain",
  AWS_DEFAULT_REGION: "plain",
  AWS_ENDPOINT_URL: "plain",
  AWS_ENDPOINT_URL_S3: "plain",
  // Where the forge is and which job asks: for addresses, and for sentences about refusals.
  GITHUB_SERVER_URL: "plain",
  GITHUB_API_URL: "plain",
  GITHUB_REPOSITORY: "plain",
  GITHUB_ACTIONS: "plain",
  GITHUB_EVENT_NAME: "plain",
  GITHUB_EVENT_PATH: "plain",
  GITEA_ACTIONS: "plain",
  FORGEJO_ACTIONS: "plain",
  RUNNER_ENVIRONMENT: "plain",
};

/** The variables that stores read, out of an environment. For a process without them, such as a keeper. */
export function storeVariables(env: Variables): Variables {
  return pick(env, () => true);
}

/** The same without secrets: for a store that only a file names. */
export function variablesWithoutSecrets(env: Variables): Variables {
  return pick(env, (kind) => kind !== "secret");
}

function pick(env: Variables, wanted: (kind: string) => boolean): Variables {
  const found = Object.entries(KINDS).filter(([name, kind]) => env[name] && wanted(kind));
  return Object.fromEntries(found.map(([name]) => [name, env[name]]));
}
