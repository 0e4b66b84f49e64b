/**
 * What a client can do wrong, with the protocol's own numbers. The reply on the wire is `error` for each
 * violation, and the connection is closed; number and reason are for the server's log.
 */
export interface Violation {
  readonly code: number;
  readonly reason: string;
}

export const violations = {
  command: { code: 3, reason: "invalid command" },
  integer: { code: 4, reason: "invalid integer in argument" },
  key: { code: 5, reason: "empty key, or one with white space or invalid UTF-8" },
  timeout: { code: 6, reason: "negative timeout" },
  token: { code: 7, reason: "empty token" },
  count: { code: 8, reason: "wrong argument count" },
  lease: { code: 9, reason: "zero or negative lease" },
  silence: { code: 10, reason: "read timeout" },
  hangup: { code: 11, reason: "client disconnected" },
  length: { code: 12, reason: "line too long" },
  limit: { code: 13, reason: "zero or negative limit" },
} as const satisfies Record<string, Violation>;
