import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

const RETRY_MS = 50;

/** Writes a file over HTTP, again and again where the server went away, and looks at what came of it. */
export class FileClient {
  readonly #url: string;
  readonly #session: string;
  readonly #path: string;
  #bearer = "";

  constructor(port: number, name: string) {
    this.#url = `http://127.0.0.1:${port}`;
    this.#session = `${this.#url}/auth/session`;
    this.#path = `${this.#url}/files/${name}`;
  }

  /** Resolves when the server has acknowledged the write. The head tells what the body must be. */
  async write(head: string, body: Buffer): Promise<void> {
    await this.#insist(async () => {
      if (this.#bearer === "") await this.#open();
      const content = Buffer.concat([Buffer.from(`${head}\n`), body]);
      const response = await fetch(this.#path, {
        method: "PUT",
        body: content,
        headers: { authorization: `Bearer ${this.#bearer}` },
      });
      await response.arrayBuffer();
      if (response.status === 401) throw new Error("The session was forgotten.");
      return response.status === 200 || response.status === 201;
    });
  }

  /** What is wrong with the file after the write of that round was acknowledged; null: nothing. */
  async check(round: number): Promise<string | null> {
    let fault: string | null = null;
    await this.#insist(async () => {
      const headers = { authorization: `Bearer ${this.#bearer}` };
      const response = await fetch(this.#path, { headers });
      const content = Buffer.from(await response.arrayBuffer());
      if (response.status >= 500) return false;
      if (response.status !== 200) {
        fault = `${this.#path}: ${response.status} after it was written`;
        return true;
      }
      const end = content.indexOf("\n");
      const head = JSON.parse(content.subarray(0, end).toString());
      const digest = createHash("sha256")
        .update(content.subarray(end + 1))
        .digest("hex");
      if (head.digest !== digest) fault = `${this.#path} is half written`;
      else if (head.round !== round) fault = `${this.#path} has round ${head.round}, not ${round}`;
      return true;
    });
    return fault;
  }

  async #open(): Promise<void> {
    const response = await fetch(this.#session, { method: "POST" });
    this.#bearer = ((await response.json()) as { sessionId: string }).sessionId;
  }

  /** A connection that broke, or a server that is away, is no answer. */
  async #insist(attempt: () => Promise<boolean>): Promise<void> {
    for (;;) {
      try {
        if (await attempt()) return;
      } catch (error) {
        // What fetch throws where there was no whole answer; anything else is a fault of the server.
        if (!(error instanceof TypeError)) throw error;
      }
      await delay(RETRY_MS);
    }
  }
}
