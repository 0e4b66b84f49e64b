import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { isThere } from "../needs.ts";
import { type Engine, EngineProcess, isInstalled, type Protected } from "./engine.ts";

/** A path, where it is not on PATH: it is in no distribution, and `go install` puts it anywhere. */
const MINIO = process.env.MINIO_BIN || "minio";

export const hasMinio = isThere("MinIO", isInstalled(MINIO));

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
  /** Variables of a session that may do no more than this, as a job has that has taken a role. */
  session(policy: unknown): Promise<Record<string, string>>;
  /** The names of all objects that begin so. */
  names(prefix: string): Promise<string[]>;
}

export interface MinioOptions {
  readonly region?: string;
}

let places = 0;

/** A MinIO with one bucket. Its keys are variables of this process, as a user's are of a shell. */
export async function startMinio(options: MinioOptions = {}): Promise<Minio> {
  const { region = "us-east-1" } = options;
  const program = await EngineProcess.start({
    file: MINIO,
    env: {
      MINIO_ROOT_USER: ACCESS_KEY,
      MINIO_ROOT_PASSWORD: SECRET_KEY,
      MINIO_BROWSER: "off",
      MINIO_UPDATE: "off",
      MINIO_SITE_REGION: region,
    },
    args: (port, directory) => [
      ...["server", "--quiet", "--address", `127.0.0.1:${port}`],
      ...["--certs-dir", join(directory, "certs"), join(directory, "data")],
    ],
    isReady: async (port) => (await fetch(`http://127.0.0.1:${port}/minio/health/ready`)).ok,
  });
  Object.assign(process.env, VARIABLES);
  const client = new AwsClient({
    accessKeyId: ACCESS_KEY,
    secretAccessKey: SECRET_KEY,
    service: "s3",
    region,
  });
  const origin = () => `http://127.0.0.1:${program.port}`;
  const ask = (path: string, init?: RequestInit) =>
    client.fetch(`${origin()}/${BUCKET}${path}`, init);
  const made = await ask("", { method: "PUT" });
  if (!made.ok) throw new Error(`MinIO makes no bucket: ${await made.text()}`);
  const fresh = async (port = program.port) =>
    `s3://${BUCKET}/t${++places}?endpoint=http://127.0.0.1:${port}`;
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
    session: (policy) => session(origin(), policy),
    async names(prefix) {
      const text = await (await ask(`?list-type=2&prefix=${prefix}`)).text();
      return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = ""]) => name);
    },
  };
}

async function session(origin: string, policy: unknown): Promise<Record<string, string>> {
  const sts = new AwsClient({
    accessKeyId: ACCESS_KEY,
    secretAccessKey: SECRET_KEY,
    service: "sts",
  });
  const body = new URLSearchParams({
    Action: "AssumeRole",
    Version: "2011-06-15",
    Policy: JSON.stringify(policy),
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const text = await (await sts.fetch(`${origin}/`, { method: "POST", body, headers })).text();
  const value = (name: string) => new RegExp(`<${name}>([^<]*)<`).exec(text)?.[1] ?? "";
  return {
    AWS_ACCESS_KEY_ID: value("AccessKeyId"),
    AWS_SECRET_ACCESS_KEY: value("SecretAccessKey"),
    AWS_SESSION_TOKEN: value("SessionToken"),
  };
}
