import { aliveLater, checkHostedRunner, here, type Identity, identify } from "../ci/index.ts";
import { DEFAULT_DEAD_AFTER_MS } from "../lock/request.ts";
import type { Store } from "../lock/store.ts";
import { isRepository, openStore } from "../stores/open.ts";
import { environmentOptions, type StoreOptions } from "../stores/options.ts";
import { deadAfterRaised } from "../stores/sentences.ts";
import { type Inputs, secretsOf } from "./inputs.ts";
import type { Stage } from "./workflow.ts";

/** The store of a step, and the owner in whose name it is used. */
export interface OpenedStore {
  readonly store: Store;
  readonly options: StoreOptions;
  readonly identity: Identity;
}

/** Opens the store that the step names, and says which it is. It makes no connection yet. */
export async function openStepStore(stage: Stage, inputs: Inputs): Promise<OpenedStore> {
  const { core, env } = stage;
  const secrets = secretsOf(stage);
  const identity = identify(
    { ...here(), env },
    { owner: inputs.owner ?? undefined, purpose: inputs.purpose, leg: inputs.leg || undefined },
  );
  const options = {
    ...environmentOptions(env),
    workingDirectory: env.GITHUB_WORKSPACE ?? process.cwd(),
    format: inputs.format,
    user: identity.user,
    ...audienceOf(stage),
    ...secrets,
  };
  const alive = aliveLater({ env, token: secrets.forgeToken, caFile: env.HOLDFAST_CA_FILE });
  const onTrouble = (sentence: string) => core.info(`holdfast: ${sentence}`);
  const store = await openStore(inputs.store, { ...options, alive, onTrouble });
  core.info(`holdfast: the store is ${store.url}, ${whomItExcludes(store)}`);
  const { keys } = inputs;
  // A key from an expression can have brought further lines, and with them further keys.
  if (keys.length > 1) {
    const names = keys.map((key) => JSON.stringify(key)).join(", ");
    core.info(`holdfast: ${keys.length} keys: ${names} (each line of the input key is one)`);
  }
  const raised = deadAfterRaised(store, givenDeadAfter(inputs));
  if (raised !== null) core.notice(raised);
  return { store, options, identity };
}

/** The audience of this job's ID token, if the step names one. */
function audienceOf({ core }: Stage): Pick<StoreOptions, "audience"> {
  const audience = core.getInput("audience");
  return audience === "" ? {} : { audience };
}

/** The runner fills in the default `dead-after`. Nobody asked for it, so a store may raise it without a message. */
export function givenDeadAfter({ deadAfter }: Pick<Inputs, "deadAfter">): number | undefined {
  return deadAfter === DEFAULT_DEAD_AFTER_MS ? undefined : deadAfter;
}

/** Throws, or warns, if the store locks nobody out on this runner. */
export function checkStore({ core, env }: Stage, store: Store): void {
  const wasNamed = Boolean(core.getInput("store") || env.HOLDFAST_STORE);
  const warning = checkHostedRunner(env, store, wasNamed);
  if (warning !== null) core.warning(warning);
}

/** Says whom a lock in a store excludes, so that a wrong choice of store is noticed. */
function whomItExcludes({ url, promises }: Store): string {
  if (isRepository(url)) return "which excludes every job that uses this repository for its locks";
  if (promises.scope === "network") return "which excludes every job that uses this server";
  if (promises.scope === "filesystem")
    return "which excludes every machine that mounts this directory";
  return "which excludes the jobs of this machine alone";
}
