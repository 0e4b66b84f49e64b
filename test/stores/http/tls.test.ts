import { describe, expect, it } from "vitest";
import { makeCertificate, type TestCertificate } from "../../server/kit/certificate.ts";
import { PATIENT } from "../../server/kit/server.ts";
import { hold, KEY, open, refused } from "../tcp/support.ts";
import { showing, trusting } from "../trust.ts";
import { served } from "./kit/served.ts";

describe("TLS", () => {
  const ca = makeCertificate({ name: "Holdfast test authority" });
  const issuer = { ...ca, name: "Holdfast test authority" };
  const secured = async (certificate: TestCertificate) =>
    (await served(showing(certificate))).httpPort;

  it.each(["127.0.0.1", "localhost"])("trusts an authority of one's own, by %s", async (host) => {
    const port = await secured(makeCertificate({ issuer }));
    const store = await open(`https://${host}:${port}`, trusting(ca));
    const holding = await hold(store, "holder");
    const next = hold(store, "next");
    await expect.poll(async () => (await store.inspect(KEY)).waiting, PATIENT).toBe(1);
    expect(await holding.release()).toBe("released");
    expect(await (await next).release()).toBe("released");
  });

  const day = 86_400_000;
  it.each([
    ["an authority that is not trusted", { issuer }, makeCertificate(), "not trusted"],
    ["a certificate of its own", {}, makeCertificate(), "not trusted"],
    [
      "an expired certificate",
      { issuer, notBefore: new Date(Date.now() - 2 * day), notAfter: new Date(Date.now() - day) },
      ca,
      "expired",
    ],
    [
      "another host's certificate",
      { issuer, hosts: { names: ["other.example"], addresses: ["127.0.0.2"] } },
      ca,
      "not for 127.0.0.1",
    ],
  ])("refuses %s", async (_, wishes, trusted, problem) => {
    const port = await secured(makeCertificate(wishes));
    const error = await refused(`https://127.0.0.1:${port}`, trusting(trusted));
    expect(error).toMatchObject({ code: "STORE_UNSAFE" });
    expect(error.message).toContain(problem);
  });

  it("refuses a certificate when no authority was named", async () => {
    const port = await secured(makeCertificate({ issuer }));
    const error = await refused(`https://127.0.0.1:${port}`);
    expect(error).toMatchObject({ code: "STORE_UNSAFE" });
    expect(error.message).toContain("HOLDFAST_CA_FILE");
  });

  it("is not what the server speaks", async () => {
    const { httpPort } = await served();
    const error = await refused(`https://127.0.0.1:${httpPort}`);
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(error.message).toMatch(/with TLS .*use http:/);
  });

  it("is what the server wants", async () => {
    const port = await secured(makeCertificate({ issuer }));
    const error = await refused(`http://127.0.0.1:${port}`);
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(error.message).toContain("https://");
  });

  it("wants a file of certificates that is one", async () => {
    const garbage = trusting({ cert: "no certificate" });
    const error = await refused("https://127.0.0.1:1", garbage);
    expect(error).toMatchObject({ code: "BAD_OPTION" });
    expect(error.message).toContain("holds no certificate");
  });
});
