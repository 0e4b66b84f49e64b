import fc from "fast-check";

/** Any JavaScript string at all: lone surrogates, control characters, emoji, blanks, long ones. */
export const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.string({
    unit: fc.constantFrom("\n", "\r", "=", '"', "{", "}", " ", "\0", "\u2028", "a", "%"),
  }),
  fc.constantFrom("", " ", ".", "..", "../x", "a/b", "\u0085", "\u007f", "\ufeff", "-0", "1e999"),
);

/** Text that a line-based format might take for further fields. */
export const forgery = fc
  .tuple(
    fc.constantFrom("\n", "\r\n", "\r", "\u2028", "\u0085", "\n\n", ""),
    fc.constantFrom("pid", "timestamp", "tag", "fence", "owner", "token_sha256", "holdfast", "ttl"),
    fc.constantFrom("1", "9999999999", "x", ""),
  )
  .chain(([end, name, value]) =>
    anyText.map((before) => `${before}${end}${name}=${value}${end}","${name}":"${value}"}`),
  );
