/** Sends back what comes: the yardstick for the server. */
import { createServer } from "node:net";

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("data", (chunk) => socket.write(chunk));
  socket.on("error", () => {});
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`listening tcp 127.0.0.1:${port}\n`);
});
