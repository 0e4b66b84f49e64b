import { type IncomingHttpHeaders, STATUS_CODES } from "node:http";
import { formatDuration } from "../../../lock/duration.ts";
import { LockError } from "../../../lock/errors.ts";
import { refused, saidBy, unreachable } from "../../remote/trouble.ts";
import type { S3Address } from "./address.ts";
import { codeOf, elementOf } from "./xml.ts";

/** The object is not there: nobody has made it yet, or somebody has deleted it. */
export function isAbsent(status: number, code: string): boolean {
  return status === 404 && (code === "NoSuchKey" || code === "NoSuchVersion");
}

/** Two conditional writes of one object met: nothing says which of them stands. */
export function isRace(status: number, code: string): boolean {
  return status === 409 && (code === "ConditionalRequestConflict" || code === "OperationAborted");
}

const KEYS = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or HOLDFAST_TOKEN";

/** What a refusal means and what helps, by S3's code. */
const LASTING: Record<string, (address: S3Address) => string> = {
  NoSuchBucket: ({ bucket }) =>
    `has no bucket ${bucket}: create it (aws s3api create-bucket --bucket ${bucket}), or check its name and the endpoint`,
  InvalidBucketName: ({ bucket }) => `does not accept the name ${bucket} for a bucket`,
  InvalidAccessKeyId: () => `does not know the access key: check ${KEYS}`,
  SignatureDoesNotMatch: () =>
    `does not accept the secret key: check ${KEYS}; a proxy that changes requests has the same effect`,
  ExpiredToken: () =>
    "says that the credentials have ended: get new ones, and for a long job ones that last as long (such as role-duration-seconds)",
  InvalidToken: () => "does not accept the session token: check AWS_SESSION_TOKEN, or unset it",
  NotImplemented: () =>
    "does not know conditional writes (If-Match, If-None-Match), without which two jobs could get the lock: use a server that has them, as Amazon S3 has",
};
/** Other names of the same error. */
const ALSO: Record<string, string> = {
  TokenRefreshRequired: "ExpiredToken",
  InvalidTokenId: "InvalidToken",
  InvalidSecurity: "InvalidAccessKeyId",
};

const FULL =
  /^(QuotaExceeded|XMinio(AdminBucketQuotaExceeded|StorageFull)|InsufficientStorage|EntityTooLarge)$/;

/** What the server said. */
interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** What was asked for. */
interface Asked {
  readonly method: string;
  /** The object; empty: the bucket itself. */
  readonly name: string;
}

/** Each failure that the server answers, in one sentence that says what to do. */
export function explain(reply: Reply, asked: Asked, address: S3Address): LockError {
  const { status, text, headers } = reply;
  const code = codeOf(text);
  const words = code === "" ? text.slice(0, 400) : `${code}: ${elementOf("Message", text) ?? ""}`;
  const said = `${status}, ${saidBy(words.trim() || (STATUS_CODES[status] ?? ""))}`;
  const region = regionIn(reply);
  if (region !== null && region !== address.region) {
    return refused(
      address,
      `has the bucket in the region ${region}: write ?region=${region}, or set AWS_REGION to it`,
    );
  }
  if (code === "RequestTimeTooSkewed") return skewed(address, Date.parse(headers.date ?? ""));
  const lasting = LASTING[ALSO[code] ?? code]?.(address);
  if (lasting !== undefined) return refused(address, `${lasting} (${said})`);
  if (FULL.test(code) || status === 507) {
    const advice = "make room there, or raise its quota";
    return new LockError(
      "STORE_FULL",
      `${address.called} takes no more data (${said}): ${advice}.`,
    );
  }
  if (status >= 500 || status === 408 || code === "RequestTimeout")
    return unreachable(address, `cannot answer just now (${said}): try again later`);
  if (status === 403 || status === 401) return denied(address, asked, said);
  if (code !== "") return refused(address, `refuses (${said}): check what it allows`);
  return notS3(address, said);
}

export function notS3(address: S3Address, said: string): LockError {
  return refused(address, `does not answer as S3 does (${said}): check the endpoint`);
}

/** The server carries out writes that their condition forbids. */
export function ignoresConditions(address: S3Address, header: string): LockError {
  return refused(
    address,
    `ignores ${header}, so that two jobs could get the lock: use a server with conditional writes, as Amazon S3 is, or a newer version of this one`,
  );
}

function denied(address: S3Address, { method, name }: Asked, said: string): LockError {
  const action = name === "" ? "list it" : `${method} ${name} in it`;
  const prefix = address.names.documents.replace(/locks\/$/, "");
  return refused(
    address,
    `does not let these credentials use the bucket, here to ${action} (${said}): they need s3:GetObject, s3:PutObject and s3:DeleteObject on ${prefix}* and s3:ListBucket on the bucket (docs/engines.md has the policy)`,
  );
}

/** The two clocks differ by more than a signature is good for, which is some minutes. */
export function skewed(address: S3Address, date: number): LockError {
  const off = Math.abs(Date.now() - date);
  const much = formatDuration(Math.round(off / 60_000) * 60_000);
  const by = Number.isNaN(off) ? "" : ` by about ${much}`;
  return refused(address, `finds the clock of this machine wrong${by}: set it right, best by NTP`);
}

/** Where the server says that the bucket is; null if it does not. */
function regionIn({ status, headers, text }: Reply): string | null {
  if (status < 300 || status >= 500) return null;
  const told = headers["x-amz-bucket-region"] ?? elementOf("Region", text);
  const region = Array.isArray(told) ? told[0] : told;
  return region !== undefined && region !== null && /^[a-z0-9-]+$/.test(region) ? region : null;
}
