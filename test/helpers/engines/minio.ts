import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { type Engine, EngineProcess, isInstalled, type Protected } from "./engine.ts";

/** A path, where it is not on PATH: it is in no distribution, and `go install` puts it anywhere. */
const MINIO = process.env.MINIO_BIN || "minio";

export const hasMinio = isInstalled(MINIO);

export const BUCKET = "holdfast-test";
export const ACCESS_KEY = "holdfast-ci";
/** Of this process alone: nothing else on the machine has it on its command line. */
export const SECRET_KEY = `p/a@s%s:w?o#r d ${randomBytes(6).toString("hex")}`;
/** As HOLDFAST_TOKEN and the input `token` have it. */
export const TOKEN = `${ACCESS_KEY}:${SECRET_KEY}`;
export const VARIABLES = {
  AWS_ACCESS_KEY_ID: ACCESS_KEY,
  AWS_SECRET_ACCESS_KEY: SECRET_KEY,
};

export interface Minio extends Engine {
  protect(): Promise<Protected>;
  /** `http://127.0.0.1:9000/bucket`. */
  readonly bucketUrl: string;
  /** A signed request to a path behind the bucket, as a person would send it. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** The names of all objects that begin so. */
  names(prefix: string): Promise<string[]>;
}

export interface MinioOptions {
  /** Files `public.crt` and `private.key` in this directory: it speaks TLS alone. */
  readonly certificates?: string;
  readonly env?: NodeJS.ProcessEnv;
}

let places = 0;

/** A MinIO with one bucket. Its keys are variables of this process, as a user's are of a shell. */
export async function startMinio(options: MinioOptions = {}): Promise<Minio> {
  const { certificates } = options;
  const scheme = certificates === undefined ? "http" : "https";
  const program = await EngineProcess.start({
    file: MINIO,
    env: {
      MINIO_ROOT_USER: ACCESS_KEY,
      MINIO_ROOT_PASSWORD: SECRET_KEY,
      MINIO_BROWSER: "off",
      MINIO_UPDATE: "off",
      ...options.env,
    },
    args: (port, directory) => [
      ...["server", "--quiet", "--address", `127.0.0.1:${port}`],
      ...["--certs-dir", certificates ?? join(directory, "certs"), join(directory, "data")],
    ],
    isReady: async (port) => {
      // Its own certificate is not trusted here: that it listens is enough.
      if (scheme === "https") return await answers(`http://127.0.0.1:${port}/`, 400);
      return answers(`http://127.0.0.1:${port}/minio/health/ready`, 200);
    },
  });
  Object.assign(process.env, VARIABLES);
  const client = new AwsClient({
    accessKeyId: ACCESS_KEY,
    secretAccessKey: SECRET_KEY,
    service: "s3",
    region: "us-east-1",
  });
  const origin = () => `http://127.0.0.1:${program.port}`;
  const ask = (path: string, init?: RequestInit) =>
    client.fetch(`${origin()}/${BUCKET}${path}`, init);
  if (scheme === "http") {
    const made = await ask("", { method: "PUT" });
    if (!made.ok) throw new Error(`MinIO makes no bucket: ${await made.text()}`);
  }
  const fresh = async (port = program.port) =>
    `s3://${BUCKET}/t${++places}?endpoint=${scheme}://127.0.0.1:${port}`;
  return {
    name: "MinIO",
    trips: 4,
    get port() {
      return program.port;
    },
    get pid() {
      return program.pid;
    },
    get bucketUrl() {
      return `${origin()}/${BUCKET}`;
    },
    fresh,
    /** It always asks for keys: from now on they are not in this process's variables any more. */
    async protect() {
      for (const name of Object.keys(VARIABLES)) delete process.env[name];
      return { password: SECRET_KEY, token: TOKEN, variables: VARIABLES, fresh: () => fresh() };
    },
    kill: () => program.end("SIGKILL"),
    startAgain: () => program.startAgain(),
    stop: () => program.stop(),
    ask,
    async names(prefix) {
      const text = await (await ask(`?list-type=2&prefix=${prefix}`)).text();
      return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = ""]) => name);
    },
  };
}

async function answers(url: string, status: number): Promise<boolean> {
  return (await fetch(url)).status === status;
}
