/** The other process of the hand-off: waits when told, and says when it has the lock. */
import { once } from "node:events";
import { connect } from "node:net";
import { systemClock } from "../src/lock/time.ts";

const socket = connect({ port: Number(process.argv[2]), host: "127.0.0.1" }).setNoDelay(true);
let token = "";

process.on("message", async (order) => {
  if (order === "wait") {
    socket.write("l\nhand-off\n600\n", () => process.send?.("waiting"));
    const [chunk] = (await once(socket, "data")) as [Buffer];
    const now = systemClock.monotonic();
    token = chunk.toString().split(" ")[1] as string;
    process.send?.(now);
  } else {
    socket.write(`r\nhand-off\n${token}\n`);
    await once(socket, "data");
    process.send?.("free");
  }
});
