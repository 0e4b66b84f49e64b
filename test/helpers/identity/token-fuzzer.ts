import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Dice } from "../server/frames.ts";
import { githubClaims, LocalIssuer } from "./issuer.ts";

export interface TokenReport {
  /** How many tokens were answered with each status. */
  readonly answers: Record<number, number>;
  /** What must not be: a session for a token that is not sound, or an answer of another kind. */
  readonly faults: string[];
  /** How often the issuer was asked. */
  asked: number;
  memory: { before: Memory; after: Memory };
}

interface Memory {
  /** Bytes in use after a collection. */
  readonly used: number;
  readonly rss: number;
}

const PROGRAM = fileURLToPath(new URL("../server/run-server.ts", import.meta.url));
const WARMING_UP = 0.2;
const AT_ONCE = 16;

/** Sends broken tokens, and a stranger's, to a server's exchange, and now and then a good one, which must be let in. */
export async function fuzzTokens(tokens: number, seed: number): Promise<TokenReport> {
  const issuer = await LocalIssuer.open();
  const directory = mkdtempSync(join(tmpdir(), "holdfast-tokens-"));
  const policy = join(directory, "policy.json");
  const entry = { name: "github", url: issuer.url, audience: "https://locks.acme.dev" };
  const claims = { repository_owner_id: "1234" };
  const rules = [{ issuer: "github", claims, keys: ["**"], may: ["claim"] }];
  writeFileSync(policy, JSON.stringify({ issuers: [entry], rules }));
  const flags = ["--port", "0", "--http-port", "0", "--policy", policy, "--max-sessions", "0"];
  const child = spawn(process.execPath, ["--expose-gc", PROGRAM, ...flags], {
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  const report: TokenReport = {
    answers: {},
    faults: [],
    asked: 0,
    memory: { before: { used: 0, rss: 0 }, after: { used: 0, rss: 0 } },
  };
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  try {
    const port = await portOf(child.stdout);
    const good = await issuer.token(githubClaims({ exp: 1 }));
    const lasting = { exp: Math.floor(Date.now() / 1_000) + 86_000 };
    const strange = await issuer.token(githubClaims({ repository_owner_id: "666", ...lasting }));
    const storm = (count: number) => {
      return send({ issuer, good, strange, agent, port, report, seed }, count);
    };
    await storm(Math.ceil(tokens * WARMING_UP));
    const before = await memoryOf(child);
    await storm(tokens);
    report.memory = { before, after: await memoryOf(child) };
    report.asked = issuer.asked.length;
    return report;
  } finally {
    agent.destroy();
    child.kill("SIGKILL");
    await once(child, "exit");
    await issuer.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Storm {
  readonly issuer: LocalIssuer;
  /** Well signed, but its time is over. */
  readonly good: string;
  /** Sound, but no rule is for it. */
  readonly strange: string;
  readonly agent: Agent;
  readonly port: number;
  readonly report: TokenReport;
  readonly seed: number;
}

/** One token in so many is sound. Each leaves a session, which is memory that is meant to be used. */
const SOUND_EVERY = 1_000;

async function send(storm: Storm, count: number): Promise<void> {
  const dice = new Dice(storm.seed + count);
  let left = count;
  const sender = async () => {
    while (left-- > 0) {
      const isSound = left % SOUND_EVERY === 0;
      const token = isSound ? await storm.issuer.token(githubClaims()) : broken(storm, dice);
      const status = await exchange(storm, token);
      storm.report.answers[status] = (storm.report.answers[status] ?? 0) + 1;
      if (isSound !== (status === 201) || status >= 500) {
        storm.report.faults.push(`${status} for ${isSound ? "a sound" : "the"} token ${token}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const HEADS = [
  { alg: "none" },
  { alg: "HS256", kid: "key-1" },
  { alg: "RS256", kid: "other" },
  { alg: "ES256", kid: "key-1" },
  { alg: "RS256", crit: ["b64"], b64: false },
  { alg: ["RS256"] },
  null,
];

/** A token that opens no session: it is not sound, in one of many ways, or no rule is for it. */
function broken({ good: token, strange }: Storm, dice: Dice): string {
  const [head = "", body = "", signature = ""] = token.split(".");
  switch (dice.roll(7)) {
    case 0:
      return token;
    case 5:
      return strange;
    case 1: {
      const at = dice.roll(token.length);
      return token.slice(0, at) + "Ab0_-.=~"[dice.roll(8)] + token.slice(at + 1);
    }
    case 2:
      return `${part(HEADS[dice.roll(HEADS.length)])}.${body}.${signature}`;
    case 3: {
      const claims = JSON.parse(Buffer.from(body, "base64url").toString());
      const names = Object.keys(claims);
      const name = names[dice.roll(names.length)] as string;
      const values = [null, [], {}, "", -1, 1e300, "x".repeat(dice.roll(4_000)), true];
      return `${head}.${part({ ...claims, [name]: values[dice.roll(values.length)] })}.${signature}`;
    }
    case 4:
      return token.slice(0, dice.roll(token.length));
    default:
      return `eyJ${"A".repeat(dice.roll(9_000))}.${"B".repeat(dice.roll(3_000))}.`;
  }
}

function exchange({ agent, port }: Storm, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(
      { agent, port, host: "127.0.0.1", method: "POST", path: "/auth/session", headers },
      (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode ?? 0));
      },
    );
    asked.once("error", reject);
    asked.end();
  });
}

async function portOf(stdout: NodeJS.ReadableStream | null): Promise<number> {
  let text = "";
  for await (const chunk of stdout ?? []) {
    text += chunk;
    const [, port] = /^listening http \S+:(\d+)$/m.exec(text) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error("the server did not start");
}

async function memoryOf(child: ReturnType<typeof spawn>): Promise<Memory> {
  child.send("memory");
  const [memory] = (await once(child, "message")) as [Memory];
  return memory;
}
