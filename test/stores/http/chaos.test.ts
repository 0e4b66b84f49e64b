import { it } from "vitest";
import { startProcess } from "../../server/kit/server.ts";
import { neverTwoHolders } from "../chaos.ts";
import { local } from "./kit/served.ts";

it("never has two holders, however the networks between them and the server fail", async () => {
  const server = await startProcess(["--http-port", "0", "--log-level", "error"]);
  await neverTwoHolders(server.httpPort as number, local);
}, 300_000);
