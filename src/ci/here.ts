import { existsSync, readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import type { Surroundings } from "./identify.ts";

/** The control group of a container names its engine; that of a service called docker does not. */
const CONTAINER_GROUP =
  /\/(?:docker|lxc)\/|(?:docker|libpod|crio|cri-containerd)-[0-9a-f]{12}|kubepods|lxc\.payload/;

export function here(): Surroundings {
  return {
    env: process.env,
    pid: process.pid,
    hostname: hostname(),
    user: userName(process.env),
    isContainer: isContainer(process.env),
  };
}

/** In a container the user id often has no entry in the password file, and then the system throws. */
function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    const uid = process.getuid?.();
    return env.USER || env.LOGNAME || env.USERNAME || (uid === undefined ? "" : `uid-${uid}`);
  }
}

/** `root` is where the filesystem begins; tests name another. */
export function isContainer(env: NodeJS.ProcessEnv, root = "/"): boolean {
  if (env.container || env.KUBERNETES_SERVICE_HOST) return true;
  if (existsSync(join(root, ".dockerenv")) || existsSync(join(root, "run/.containerenv")))
    return true;
  return ["proc/1/cgroup", "proc/self/cgroup"].some((file) =>
    CONTAINER_GROUP.test(contentOf(join(root, file))),
  );
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
