import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { listen } from "../ports.ts";

/** What the next request of a kind gets in place of an answer. */
export interface Fault {
  readonly status: number;
  /** S3's code, in its XML. */
  readonly code?: string;
  /** More of the XML, such as `<Region>…</Region>`. */
  readonly xml?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** It is carried out all the same. */
  readonly stands?: boolean;
}

/**
 * The least of an S3 server, for what a real one cannot be made to answer. Signatures are not checked.
 * `ignores`: it takes conditions and writes all the same, as servers did before 2024.
 */
export class PlainS3 {
  readonly url: string;
  readonly requests: string[] = [];
  readonly objects = new Map<string, { text: string; written: number }>();
  ignores: readonly string[] = [];
  #faults: { readonly sign: RegExp; readonly fault: Fault }[] = [];

  private constructor(port: number) {
    this.url = `s3://bucket/p?endpoint=http://127.0.0.1:${port}`;
  }

  static async start(): Promise<PlainS3> {
    let plain: PlainS3 | null = null;
    const server = createServer((request, response) => void plain?.answer(request, response));
    plain = new PlainS3(await listen(server));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return plain;
  }

  /** `sign`: of the method and the path, such as `PUT .*locks`. Once each. */
  failNext(sign: RegExp, ...faults: readonly Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ sign, fault })));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const line = `${method} ${url}`;
    this.requests.push(line);
    const at = this.#faults.findIndex(({ sign }) => sign.test(line));
    const [found] = at === -1 ? [] : this.#faults.splice(at, 1);
    if (found !== undefined) {
      if (found.fault.stands) this.#carryOut(method, url, text);
      const { status, code = "", xml = "", headers: more } = found.fault;
      response.writeHead(status, more).end(errorOf(code, xml));
      return;
    }
    const object = this.objects.get(url);
    const etag = object === undefined ? null : etagOf(object.text);
    if (method === "PUT") {
      const match = this.ignores.includes("if-match") ? undefined : headers["if-match"];
      const none = this.ignores.includes("if-none-match") ? undefined : headers["if-none-match"];
      if (match !== undefined && etag === null) return end(response, 404, "NoSuchKey");
      if (match !== undefined && match !== etag) return end(response, 412, "PreconditionFailed");
      if (none === "*" && etag !== null) return end(response, 412, "PreconditionFailed");
      this.#carryOut(method, url, text);
      response.writeHead(200, { etag: etagOf(text) }).end();
    } else if (method === "DELETE") {
      this.#carryOut(method, url, text);
      response.writeHead(204).end();
    } else if (object === undefined || etag === null) end(response, 404, "NoSuchKey");
    else {
      const written = new Date(object.written).toUTCString();
      response.writeHead(200, { etag, "last-modified": written }).end(object.text);
    }
  }

  #carryOut(method: string, url: string, text: string): void {
    if (method === "PUT") this.objects.set(url, { text, written: Date.now() });
    if (method === "DELETE") this.objects.delete(url);
  }
}

function end(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(errorOf(code, ""));
}

function errorOf(code: string, xml: string): string {
  return code === "" ? "" : `<Error><Code>${code}</Code><Message>no</Message>${xml}</Error>`;
}

function etagOf(text: string): string {
  return `"${createHash("md5").update(text).digest("hex")}"`;
}
