import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { TestCertificate } from "../server/certificate.ts";

type Algorithm = "RS256" | "ES256" | "EdDSA";
interface Pair {
  readonly kid: string;
  readonly algorithm: Algorithm;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
  readonly jwk: JWK;
}

/** The secret with which a job asks its runner for ID tokens. */
export const REQUEST_TOKEN = "request-token-0123456789";

/** An issuer of ID tokens on loopback: discovery, keys and signatures as a CI system has them. */
export class LocalIssuer {
  readonly url: string;
  /** How often each path was asked for. */
  readonly asked: string[] = [];
  /** The tokens that jobs have asked for. */
  readonly given: string[] = [];
  /** Answers in place of the issuer, for those that misbehave; true: it has answered. */
  misbehave: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null;
  readonly #close: () => Promise<void>;
  readonly #pairs: Pair[] = [];
  #made = 0;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async open(tls?: TestCertificate): Promise<LocalIssuer> {
    let issuer: LocalIssuer | null = null;
    const listener = (request: IncomingMessage, response: ServerResponse) =>
      issuer?.answer(request, response);
    const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const scheme = tls === undefined ? "http" : "https";
    issuer = new LocalIssuer(`${scheme}://127.0.0.1:${port}`, () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    });
    await issuer.addKey("RS256");
    return issuer;
  }

  async addKey(algorithm: Algorithm, kid = `key-${++this.#made}`): Promise<string> {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" };
    this.#pairs.push({ kid, algorithm, privateKey, jwk });
    return kid;
  }

  removeKey(kid: string): void {
    this.#pairs.splice(
      this.#pairs.findIndex((pair) => pair.kid === kid),
      1,
    );
  }

  get jwks(): { keys: JWK[] } {
    return { keys: this.#pairs.map(({ jwk }) => jwk) };
  }

  /** A token of the job that these claims describe; `undefined` leaves a claim out. */
  async token(claims: Readonly<Record<string, unknown>>, kid?: string): Promise<string> {
    const pair = this.#pairs.find((each) => kid === undefined || each.kid === kid);
    if (pair === undefined) throw new Error(`no key ${kid}`);
    const now = Math.floor(Date.now() / 1_000);
    const standard = {
      iss: this.url,
      iat: now,
      nbf: now,
      exp: now + 300,
      jti: crypto.randomUUID(),
    };
    return new SignJWT({ ...standard, ...claims })
      .setProtectedHeader({ alg: pair.algorithm, kid: pair.kid, typ: "JWT" })
      .sign(pair.privateKey);
  }

  /** What a runner gives a job whose workflow says `id-token: write`: where it asks for its tokens. */
  jobEnvironment(): {
    ACTIONS_ID_TOKEN_REQUEST_URL: string;
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: string;
  } {
    return {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${this.url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
    };
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    this.asked.push(request.url ?? "");
    if (this.misbehave?.(request, response)) return;
    const url = new URL(request.url ?? "", this.url);
    if (url.pathname === "/token") {
      if (request.headers.authorization !== `Bearer ${REQUEST_TOKEN}`) {
        response.writeHead(401).end();
        return;
      }
      const aud = url.searchParams.get("audience");
      void this.token(githubClaims({ aud })).then((value) => {
        this.given.push(value);
        response.end(JSON.stringify({ count: 1, value }));
      });
      return;
    }
    const body =
      request.url === "/.well-known/openid-configuration"
        ? { issuer: this.url, jwks_uri: `${this.url}/jwks` }
        : this.jwks;
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** The claims of a job of GitHub's, as far as policies look at them. */
export function githubClaims(changes: Readonly<Record<string, unknown>> = {}) {
  return {
    sub: "repo:acme/shop:environment:production",
    aud: "https://locks.acme.dev",
    repository: "acme/shop",
    repository_id: "77",
    repository_owner: "acme",
    repository_owner_id: "1234",
    environment: "production",
    ref: "refs/heads/main",
    sha: "0123456789abcdef0123456789abcdef01234567",
    run_id: "456",
    run_attempt: "1",
    check_run_id: "987",
    workflow: "Release",
    actor: "ann",
    event_name: "push",
    job_workflow_ref: "acme/shop/.github/workflows/release.yml@refs/heads/main",
    ...changes,
  };
}
