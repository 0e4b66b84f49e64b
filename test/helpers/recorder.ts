import { createServer } from "node:net";
import { onTestFinished } from "vitest";

/** A server of somebody who wants to know what is sent to it. It answers so that secrets come early. */
export interface Recorder {
  readonly port: number;
  /** All bytes that came, as text; base64 in them also decoded. */
  heard(): string;
}

/** PostgreSQL's way to ask for the password as it is. */
const ASK_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

/** And its way to say that it was the wrong one. */
const WRONG_PASSWORD = Buffer.from("E\0\0\0\x1aSFATAL\0C28P01\0Mwrong\0\0", "latin1");

/** Listens on loopback until the test is over. */
export async function startRecorder(): Promise<Recorder> {
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      if (chunk.length === 8 && chunk[4] === 4) socket.write("N");
      else if (chunk.readUInt16BE(4) === 3 && chunk[0] === 0) socket.write(ASK_PASSWORD);
      else if (chunk[0] === 0x70) socket.end(WRONG_PASSWORD);
      else if (/HTTP\/1\.1\r\n/.test(chunk.toString("latin1")))
        socket.end("HTTP/1.1 401 no\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      else socket.end("-ERR no\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return {
    port,
    heard() {
      const text = Buffer.concat(chunks).toString("latin1");
      const encoded = [...text.matchAll(/Basic ([\w+/=]+)/g)].map(([, part = ""]) =>
        Buffer.from(part, "base64").toString("latin1"),
      );
      return [text, ...encoded].join("\n");
    },
  };
}
