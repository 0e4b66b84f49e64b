import { describe, expect, it } from "vitest";
import { parsePostgresAddress } from "../../../../../src/stores/engines/postgres/address.ts";
import { openPostgresRegister } from "../../../../../src/stores/engines/postgres/register.ts";
import { literal } from "../../../../../src/stores/engines/postgres/sql.ts";

describe("the address of a PostgreSQL database", () => {
  it.each([
    ["postgresql://Db.example/locks", "postgres://db.example:5432/locks"],
    ["postgres://h/locks?table=holdfast&sslmode=prefer", "postgres://h:5432/locks"],
    ["postgres://a%40b:p%2F%40@h:6432/l%20s", "postgres://a%40b@h:6432/l%20s"],
    [
      "postgres://h/locks?table=ci.locks&sslmode=verify-full",
      "postgres://h:5432/locks?sslmode=verify-full&table=ci.locks",
    ],
  ])("%s is shown as %s", (store, shown) => {
    expect(parsePostgresAddress(store).shown).toBe(shown);
    expect(parsePostgresAddress(shown).shown).toBe(shown);
  });

  it("has a user and a password that are percent-decoded", () => {
    const { user, password, database } = parsePostgresAddress("postgres://a%40b:p%2Fa%40s%25@h/x");
    expect([user, password, database]).toEqual(["a@b", "p/a@s%", "x"]);
  });

  it.each([
    ["postgres://h", /names no database: write it as postgres:\/\/host\/database/],
    ["postgres://h/a/b", /has "a\/b" as its database/],
    ["postgres://a,b/locks", /names several servers: name the primary alone/],
    ["postgres://h/locks?sslmode=yes", /sslmode "yes" is not known: use one of disable, prefer/],
    ["postgres://h/locks?table=a.b.c", /table "a.b.c" is not acceptable/],
    ["postgres://h/locks?table=a;drop", /is not acceptable/],
    ["postgres://h/locks?pgbouncer=true", /has the unknown option/],
  ])("%s is refused with a sentence", (store, sentence) => {
    expect(() => openPostgresRegister(store)).toThrow(sentence);
    const refusal = expect.objectContaining({ code: "BAD_STORE" });
    expect(() => openPostgresRegister(store)).toThrow(refusal);
  });

  it("does not show a password that is not percent-encoded", () => {
    const opening = () => openPostgresRegister("postgres://u:12/secret@h/locks");
    expect(opening).toThrow(/is not percent-encoded/);
    expect(opening).not.toThrow(/12|secret/);
  });

  it("keeps the user in a refusal, and shows no password of an option that it does not know", () => {
    const opening = () => openPostgresRegister("postgres://u:hush@h:1/locks?password=hush");
    expect(opening).toThrow(/"postgres:\/\/u@h:1\/locks\?password=…" has the unknown option/);
  });
});

describe("a text in SQL", () => {
  it.each(["", "plain", "it's", "$$", "$h$", "$hh$ $h", "a\\'b", "'; drop table x; --", "$h"])(
    "%s stands in quotes that it does not have",
    (text) => {
      const [, tag = "", inner, end] = /^ (\$h+\$)(.*)(\$h+\$) $/s.exec(literal(text)) ?? [];
      expect(inner).toBe(text);
      expect(end).toBe(tag);
      expect(`${text}${tag}`.indexOf(tag)).toBe(text.length);
    },
  );
});
