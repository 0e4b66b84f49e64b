type Env = Readonly<Record<string, string | undefined>>;

/** A server that runs. */
interface Running {
  /** A second call does not wait any longer. */
  stop(): Promise<void>;
  /** Reads anew what it was told by a file. */
  reload?(): Promise<void>;
}

/** How often it is looked whether npx is still there, in milliseconds. */
const PARENT_LOOK_MS = 250;

/** Whether npx has started this very command. */
function isUnderNpx(env: Env): boolean {
  return (
    env.npm_lifecycle_event === "npx" && /^['"]?holdfast['"]?$/.test(env.npm_lifecycle_script ?? "")
  );
}

/**
 * Runs a server until it is told to stop. It listens for signals first: one that comes as soon as the
 * server says that it listens is not lost. npx gives SIGTERM to a shell in between, which ends by it and does not pass it on, so
 * that the end of that shell counts as the signal. `reloads`: SIGHUP has the policy read anew.
 */
export async function untilSignal(
  start: () => Promise<Running>,
  env: Env,
  reloads = false,
): Promise<void> {
  const isWindows = process.platform === "win32";
  // On Windows these are Ctrl-C, Ctrl-Break and a closed console, which leaves some seconds.
  const signals: readonly NodeJS.Signals[] = isWindows
    ? ["SIGINT", "SIGBREAK", "SIGHUP"]
    : ["SIGTERM", "SIGINT"];
  const parent = process.ppid;
  const look = () => {
    if (process.ppid !== parent) stop();
  };
  const looking = isUnderNpx(env) ? setInterval(look, PARENT_LOOK_MS).unref() : undefined;
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<Running>();
  const stop = () => {
    // npx ends by the same signal: that is no second one.
    clearInterval(looking);
    started.promise.then((server) => server.stop()).then(resolve, reject);
  };
  const reload = () => started.promise.then((server) => server.reload?.()).catch(() => {});
  for (const signal of signals) process.on(signal, stop);
  if (reloads && !isWindows) process.on("SIGHUP", reload);
  try {
    started.resolve(await start());
    await stopped;
  } finally {
    clearInterval(looking);
    for (const signal of signals) process.off(signal, stop);
    process.off("SIGHUP", reload);
  }
}
