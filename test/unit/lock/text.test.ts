import { describe, expect, test } from "vitest";
import { withoutPassword } from "../../../src/lock/text.ts";

describe("a URL without its password", () => {
  test.each([
    ["redis://ann:s3cret@host:6379/0", "redis://ann@host:6379/0"],
    ["redis://:s3cret@host", "redis://host"],
    ["postgres://ann:s3/cr?e#t@host/db", "postgres://ann@host/db"],
    ["postgres://ann:s3@cret@host/db", "postgres://ann@host/db"],
    ["gopher:ann:s3cret@host", "gopher:ann@host"],
    ["redis://ann@host", "redis://ann@host"],
    ["https://host:8443/a@b", "https://host:8443/a@b"],
    ["git+https://host/team/repo.git?ref=a@b", "git+https://host/team/repo.git?ref=a@b"],
    ["file:/var/lib/a:b@c", "file:/var/lib/a:b@c"],
    ["./locks@2:3", "./locks@2:3"],
    ["etcd://a:2379,b:2379/prefix", "etcd://a:2379,b:2379/prefix"],
    ["postgres://ann@host/db?password=s3cret&x=1", "postgres://ann@host/db?password=…&x=1"],
    ["gopher://ann:s3cret@host/?Token=s3cret", "gopher://ann@host/?Token=…"],
  ])("%s is shown as %s", (url, shown) => {
    expect(withoutPassword(url)).toBe(shown);
  });
});
