import { it } from "vitest";
import { startProcess } from "../../../helpers/server/server.ts";
import { neverTwoHolders } from "../remote/chaos.ts";

it("never has two holders, however the networks between them and the server fail", async () => {
  const { port } = await startProcess(["--log-level", "error"]);
  await neverTwoHolders(port, (network) => `tcp://127.0.0.1:${network}`);
}, 300_000);
