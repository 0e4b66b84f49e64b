import { describe, expect, it } from "vitest";
import { makeCertificate, type TestCertificate } from "../../../helpers/server/certificate.ts";
import { hold, KEY, open, refused, request } from "../../../helpers/tcp/support.ts";
import { PATIENT } from "../../../helpers/waiting.ts";
import { HTTP, TCP, urlOf } from "./doors.ts";
import { showing, trusting } from "./trust.ts";

const DAY_MS = 86_400_000;

describe.each([TCP, HTTP])("TLS: $secure", (door) => {
  const ca = makeCertificate({ name: "Holdfast test authority" });
  const issuer = { ...ca, name: "Holdfast test authority" };

  function secured(certificate: TestCertificate): Promise<number> {
    return door.start(showing(certificate));
  }

  it("waits in line, leaves it, and is woken, as without", async () => {
    const port = await secured(makeCertificate({ issuer }));
    const store = await open(`${door.secure}://127.0.0.1:${port}`, trusting(ca));
    const holding = await hold(store, "holder");
    const controller = new AbortController();
    const leaving = store.claim(request("leaves"), { signal: controller.signal });
    const outcome = expect(leaving).rejects.toMatchObject({ code: "ABORTED" });
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    const staying = hold(store, "stays");
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(2);
    controller.abort();
    await outcome;
    expect(await store.inspect(KEY)).toMatchObject({ waiting: 1, waiters: [{ owner: "stays" }] });
    await holding.release();
    expect(await (await staying).release()).toBe("released");
  });

  it.each(["127.0.0.1", "localhost"])("trusts an authority of one's own, by %s", async (host) => {
    const port = await secured(makeCertificate({ issuer }));
    const store = await open(`${door.secure}://${host}:${port}`, trusting(ca));
    const holding = await hold(store, "secure");
    expect((await store.inspect(KEY)).holders.map(({ owner }) => owner)).toEqual(["secure"]);
    const next = hold(store, "next");
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    expect(await holding.release()).toBe("released");
    expect(await (await next).release()).toBe("released");
  });

  it.each([
    ["an authority that is not trusted", { issuer }, makeCertificate(), "not trusted"],
    ["a certificate of its own", {}, makeCertificate(), "not trusted"],
    [
      "an expired certificate",
      {
        issuer,
        notBefore: new Date(Date.now() - 2 * DAY_MS),
        notAfter: new Date(Date.now() - DAY_MS),
      },
      ca,
      "expired",
    ],
    [
      "one that is not valid yet",
      { issuer, notBefore: new Date(Date.now() + DAY_MS) },
      ca,
      "not valid yet",
    ],
    [
      "another host's certificate",
      { issuer, hosts: { names: ["other.example"], addresses: ["127.0.0.2"] } },
      ca,
      "not for 127.0.0.1",
    ],
  ])("refuses %s", async (_, wishes, trusted, problem) => {
    const port = await secured(makeCertificate(wishes));
    const error = await refused(`${door.secure}://127.0.0.1:${port}`, trusting(trusted));
    expect(error).toMatchObject({ code: "STORE_UNSAFE" });
    expect(error.message).toContain(problem);
  });

  it("refuses a certificate when no authority was named", async () => {
    const port = await secured(makeCertificate({ issuer }));
    const error = await refused(`${door.secure}://127.0.0.1:${port}`);
    expect(error).toMatchObject({ code: "STORE_UNSAFE" });
    expect(error.message).toContain("HOLDFAST_CA_FILE");
  });

  it("is not what the server speaks", async () => {
    const port = await door.start();
    const error = await refused(`${door.secure}://127.0.0.1:${port}`);
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(error.message).toMatch(new RegExp(`with TLS .*use ${door.plain}:`));
  });

  it("is what the server wants", async () => {
    const port = await secured(makeCertificate({ issuer }));
    const error = await refused(urlOf(door, port));
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(error.message).toContain(door.wantsTls);
  });

  it("wants a file of certificates that is one", async () => {
    const url = `${door.secure}://127.0.0.1:1`;
    const { caFile, workingDirectory } = trusting({ cert: "no certificate" });
    const error = await refused(url, { caFile, workingDirectory });
    expect(error).toMatchObject({ code: "BAD_OPTION" });
    expect(error.message).toContain("holds no certificate");
    const garbage = trusting({
      cert: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    });
    expect(await refused(url, garbage)).toMatchObject({ code: "BAD_OPTION" });
    const missing = await refused(url, { caFile: "gone.pem", workingDirectory });
    expect(missing).toMatchObject({ code: "BAD_OPTION" });
    expect(missing.message).toContain("it is not there");
  });
});
