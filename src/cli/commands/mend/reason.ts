import { LockError } from "../../../lock/errors.ts";
import { byteLength, cleanText } from "../../../lock/text.ts";
import type { Input } from "../../command.ts";

const BYTES_LIMIT = 1_000;

/** The value of `--reason`, on one line. `why` and `example` are for the message if it is missing. */
export function reasonOf(input: Input, why: string, example: string): string {
  const reason = cleanText((input.text("reason") ?? "").toWellFormed()).trim();
  if (reason === "") {
    throw new LockError(
      "BAD_REASON",
      `The reason is missing: say why ${why}, such as --reason "${example}".`,
    );
  }
  if (byteLength(reason) > BYTES_LIMIT) {
    throw new LockError(
      "BAD_REASON",
      `The reason has ${byteLength(reason)} bytes: use at most ${BYTES_LIMIT}.`,
    );
  }
  return reason;
}
