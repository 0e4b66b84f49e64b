import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { isThere } from "../needs.ts";
import { unusedPort } from "../ports.ts";
import {
  type Engine,
  EngineProcess,
  isInstalled,
  onFreePorts,
  type Program,
  type Protected,
} from "./engine.ts";

export const hasEtcd = isThere("etcd", isInstalled("etcd") && isInstalled("etcdctl"));

export interface Etcd extends Engine {
  protect(): Promise<Protected>;
  /** Runs etcdctl on it, as `user:password` where one is named. */
  etcdctl(args: readonly string[], user?: string): Promise<string>;
  /** A POST to its JSON gateway. */
  ask(path: string, body: unknown): Promise<Record<string, unknown>>;
}

export interface EtcdOptions {
  /** `https` with this certificate. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  readonly args?: readonly string[];
}

let places = 0;

/** A single etcd. */
export async function startEtcd(options: EtcdOptions = {}): Promise<Etcd> {
  const scheme = options.tls === undefined ? "http" : "https";
  const process = await onFreePorts(async () => {
    const peer = await unusedPort();
    const cluster = `one=http://127.0.0.1:${peer}`;
    return EngineProcess.start(program({ name: "one", peer, scheme, cluster, options }));
  });
  return {
    name: "etcd",
    get port() {
      return process.port;
    },
    get pid() {
      return process.pid;
    },
    fresh: async (port = process.port) => `etcd://127.0.0.1:${port}/t${++places}`,
    protect: () => protect([process.port]),
    kill: () => process.end("SIGKILL"),
    startAgain: () => process.startAgain(),
    stop: () => process.stop(),
    etcdctl: (args, user) => etcdctl([process.port], args, user),
    ask: (path, body) => ask(process.port, path, body),
  };
}

/** The user that may write where the stores of `protect` are, and nowhere else. */
export const USER = "ci";
/** Of this process alone: nothing else on the machine has it on its command line. */
export const PASSWORD = `p/a@s%s:w?o#r d ${randomBytes(6).toString("hex")}`;
export const ROOT = "root:toor";

async function protect(ports: readonly number[]): Promise<Protected> {
  const steps = [
    "user add root:toor",
    "user grant-role root root",
    "role add locks",
    "role grant-permission locks readwrite --prefix=true secret/",
  ];
  for (const step of steps) await etcdctl(ports, step.split(" "));
  await etcdctl(ports, ["user", "add", `${USER}:${PASSWORD}`]);
  await etcdctl(ports, ["user", "grant-role", USER, "locks"]);
  await etcdctl(ports, ["auth", "enable"]);
  return {
    password: PASSWORD,
    fresh: async (inUrl) => {
      const user = inUrl ? `${USER}:${encodeURIComponent(PASSWORD)}` : USER;
      return `etcd://${user}@127.0.0.1:${ports[0]}/secret/t${++places}`;
    },
  };
}

export interface EtcdCluster {
  readonly ports: readonly number[];
  /** The place of the leader among the members. */
  leader(): Promise<number>;
  kill(member: number): Promise<void>;
  startAgain(member: number): Promise<void>;
  /** Stops a member's process, or lets it go on: its sockets stay open, and nobody answers. */
  freeze(member: number): void;
  thaw(member: number): void;
  /** A POST to one member's JSON gateway; it fails after `patience` milliseconds. */
  ask(
    member: number,
    path: string,
    body: unknown,
    patience: number,
  ): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Three members, of which any two are enough. */
export async function startEtcdCluster(): Promise<EtcdCluster> {
  const members = await onFreePorts(startMembers);
  const ports = members.map(({ port }) => port);
  const member = (place: number) => members[place] as EngineProcess;
  return {
    ports,
    async leader() {
      for (const [place, port] of ports.entries()) {
        const answer = await ask(port, "/v3/maintenance/status", {}).catch(() => null);
        const id = (answer?.header as { member_id?: string } | undefined)?.member_id;
        if (answer !== null && answer.leader === id) return place;
      }
      throw new Error("the cluster has no leader");
    },
    kill: (place) => member(place).end("SIGKILL"),
    startAgain: (place) => member(place).startAgain(),
    freeze: (place) => void process.kill(member(place).pid, "SIGSTOP"),
    thaw: (place) => void process.kill(member(place).pid, "SIGCONT"),
    ask: (place, path, body, patience) => ask(member(place).port, path, body, patience),
    stop: async () => void (await Promise.all(members.map((each) => each.stop()))),
  };
}

async function startMembers(): Promise<EngineProcess[]> {
  const peers = await Promise.all([1, 2, 3].map(() => unusedPort()));
  const cluster = peers.map((peer, place) => `m${place}=http://127.0.0.1:${peer}`).join();
  const starts = await Promise.allSettled(
    peers.map((peer, place) =>
      EngineProcess.start(program({ name: `m${place}`, peer, scheme: "http", cluster })),
    ),
  );
  const members = starts.flatMap((start) => (start.status === "fulfilled" ? start.value : []));
  const failed = starts.find((start) => start.status === "rejected");
  if (failed === undefined) return members;
  // One that misses its others would run on.
  await Promise.all(members.map((member) => member.stop()));
  throw failed.reason;
}

interface Member {
  readonly name: string;
  readonly peer: number;
  readonly scheme: "http" | "https";
  readonly cluster: string;
  readonly options?: EtcdOptions;
}

function program({ name, peer, scheme, cluster, options = {} }: Member): Program {
  const { tls, args = [] } = options;
  const ownPeer = `http://127.0.0.1:${peer}`;
  return {
    file: "etcd",
    // Debian's own settings are for its service.
    env: { ETCD_UNSUPPORTED_ARCH: globalThis.process.arch },
    args: (port, directory) => [
      ...["--name", name, "--data-dir", join(directory, "data"), "--log-level", "error"],
      ...["--listen-client-urls", `${scheme}://127.0.0.1:${port}`],
      ...["--advertise-client-urls", `${scheme}://127.0.0.1:${port}`],
      ...["--listen-peer-urls", ownPeer, "--initial-advertise-peer-urls", ownPeer],
      ...["--initial-cluster", cluster],
      ...(tls === undefined ? [] : ["--cert-file", tls.certFile, "--key-file", tls.keyFile]),
      ...args,
    ],
    // A member of a cluster answers this as soon as it listens; who asks more needs a leader.
    isReady: async (port) => {
      if (tls !== undefined) return canConnect(port);
      const answer = await ask(port, "/v3/maintenance/status", {});
      return answer.leader !== undefined;
    },
  };
}

async function canConnect(port: number): Promise<boolean> {
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(socket.destroy().destroyed));
    socket.on("error", () => resolve(false));
  });
}

async function ask(
  port: number,
  path: string,
  body: unknown,
  patience?: number,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    ...(patience === undefined ? {} : { signal: AbortSignal.timeout(patience) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}

const execute = promisify(execFile);

async function etcdctl(ports: readonly number[], args: readonly string[], user?: string) {
  const endpoints = ports.map((port) => `127.0.0.1:${port}`).join();
  const as = user === undefined ? [] : ["--user", user];
  const env = { ...globalThis.process.env, ETCDCTL_API: "3" };
  const { stdout } = await execute("etcdctl", ["--endpoints", endpoints, ...as, ...args], { env });
  return stdout;
}
