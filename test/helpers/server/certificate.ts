import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/**
 * Certificates for tests, made on the spot: no key in the repository, no openssl on the machine.
 * A certificate is a few nested DER values, signed.
 */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWishes {
  /** Signed by this one; left out: by itself. */
  readonly issuer?: TestCertificate & { readonly name?: string };
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly name?: string;
  /** What it is good for; by default localhost and 127.0.0.1. */
  readonly hosts?: { readonly names: readonly string[]; readonly addresses: readonly string[] };
}

const DAY_MS = 86_400_000;

export function makeCertificate(wishes: CertificateWishes = {}): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const { name = "Holdfast test", issuer } = wishes;
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer === undefined ? name : (issuer.name ?? "Holdfast test")),
    sequence(
      time(wishes.notBefore ?? new Date(Date.now() - DAY_MS)),
      time(wishes.notAfter ?? new Date(Date.now() + DAY_MS)),
    ),
    distinguishedName(name),
    publicKey.export({ type: "spki", format: "der" }) as Buffer,
    tagged(0xa3, extensions(issuer === undefined, wishes.hosts)),
  );
  return { cert: seal(body, issuer?.key ?? privateKey), key };
}

function seal(body: Buffer, key: KeyObject | string): string {
  const signature = tagged(0x03, Buffer.concat([Buffer.of(0), sign("sha256", body, key)]));
  const whole = sequence(body, ECDSA_WITH_SHA256, signature).toString("base64");
  const lines = whole.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function extensions(authority: boolean, hosts: CertificateWishes["hosts"]): Buffer {
  const { names, addresses } = hosts ?? { names: ["localhost"], addresses: ["127.0.0.1"] };
  const alternatives = sequence(
    ...names.map((name) => tagged(0x82, Buffer.from(name))),
    ...addresses.map((address) => tagged(0x87, Buffer.from(address.split(".").map(Number)))),
  );
  const constraints = authority ? sequence(tagged(0x01, Buffer.of(0xff))) : sequence();
  return sequence(
    sequence(oid("551d13"), tagged(0x04, constraints)),
    sequence(oid("551d11"), tagged(0x04, alternatives)),
  );
}

function distinguishedName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(oid("550403"), tagged(0x0c, Buffer.from(name)))));
}

/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));

function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, "").slice(0, 14);
  return tagged(0x18, Buffer.from(`${digits}Z`));
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(length);
  return Buffer.concat([Buffer.of(tag, 0x82), size, content]);
}
