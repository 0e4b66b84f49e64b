import { expect, it } from "vitest";
import { startProcess } from "../../../helpers/server/server.ts";
import { Network } from "../../../helpers/tcp/network.ts";
import { hold, KEY, open, request } from "../../../helpers/tcp/support.ts";
import { PATIENT } from "../../../helpers/waiting.ts";
import { HTTP, TCP, urlOf } from "./doors.ts";

/** Longer than the lease and the time until the server looks for leases that are over. */
const STOPPED_MS = 4_000;

/** Stops this process, as SIGSTOP would: nothing is sent, read or told meanwhile. */
function stopHere(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it.each([TCP, HTTP])(
  "over $plain a holder that was stopped for longer than its lease has not released what another one has",
  async (door) => {
    const { port, httpPort } = await startProcess(["--http-port", "0"]);
    const target = door === TCP ? port : (httpPort as number);
    const network = await Network.start(() => target);
    const store = await open(urlOf(door, network.port));
    const holding = await hold(store, "stopped", { deadAfter: 1_000 });
    const direct = await open(urlOf(door, target));
    const heir = direct.claim(request("heir"));
    await expect.poll(async () => (await direct.inspect(KEY)).waiting, PATIENT).toBe(1);
    stopHere(STOPPED_MS);
    const released = holding.release();
    // The first word of the release is lost with its connection.
    network.resetClients();
    expect(await released).toBe("already-gone");
    await (await heir).release();
  },
);
