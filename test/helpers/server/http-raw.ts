import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** What comes back for bytes that no client library would send; until the server closes. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await openRaw(port);
  socket.write(bytes);
  return received(socket);
}

export async function openRaw(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Everything that the server says, until it closes. */
export function received(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}

/** A PUT that the server is receiving: its body is for the test to send. */
export async function beginPut(port: number, path: string, id: string, length: number) {
  const socket = await openRaw(port);
  const lines = [
    `PUT ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    "Expect: 100-continue",
    `Authorization: Bearer ${id}`,
    `Content-Length: ${length}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const [first] = await once(socket, "data");
  if (!String(first).startsWith("HTTP/1.1 100")) throw new Error(`No continue: ${first}`);
  return { socket, answer: received(socket) };
}

/** A GET that closes the connection after its answer. */
export function get(path: string, ...headers: string[]): string {
  return [
    "GET ",
    path,
    " HTTP/1.1\r\n",
    ...["Host: 127.0.0.1", "Connection: close", ...headers].map((line) => `${line}\r\n`),
    "\r\n",
  ].join("");
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
export function bodyOf(answer: string): any {
  return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
}
