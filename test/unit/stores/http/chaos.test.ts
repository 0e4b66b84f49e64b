import { it } from "vitest";
import { local } from "../../../helpers/http/served.ts";
import { startProcess } from "../../../helpers/server/server.ts";
import { neverTwoHolders } from "../remote/chaos.ts";

it("never has two holders, however the networks between them and the server fail", async () => {
  const server = await startProcess(["--http-port", "0", "--log-level", "error"]);
  await neverTwoHolders(server.httpPort as number, local);
}, 300_000);
