import { served } from "../../../helpers/http/served.ts";
import { startProcess, startServer } from "../../../helpers/server/server.ts";

/** One of the two ways into a server, for the scenes that are the same through both. */
export interface Door {
  /** The schemes of its URLs, without and with TLS. */
  readonly plain: string;
  readonly secure: string;
  /** What a client without TLS is told by a server that wants it. */
  readonly wantsTls: string;
  /** A lock is free when the process that held it ends; else only when its lease does. */
  readonly freesAtOnce: boolean;
  /** A server in this process, by the port of this door. */
  start(flags?: Record<string, string>): Promise<number>;
  /** A server of its own, that can be killed. */
  spawn(): Promise<{ readonly port: number; kill(): void }>;
}

export const TCP: Door = {
  plain: "tcp",
  secure: "tls",
  wantsTls: "wants TLS",
  freesAtOnce: true,
  start: async (flags) => (await startServer(flags)).port,
  async spawn() {
    const { port, child } = await startProcess([]);
    return { port, kill: () => child.kill("SIGKILL") };
  },
};

export const HTTP: Door = {
  plain: "http",
  secure: "https",
  wantsTls: "https://",
  freesAtOnce: false,
  start: async (flags) => (await served(flags)).httpPort,
  async spawn() {
    const { httpPort, child } = await startProcess(["--http-port", "0"]);
    return { port: httpPort as number, kill: () => child.kill("SIGKILL") };
  },
};

export function urlOf({ plain }: Door, port: number): string {
  return `${plain}://127.0.0.1:${port}`;
}
