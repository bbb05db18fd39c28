import { describe, expect, test } from "vitest";
import { parseAddress } from "../../../lib/state/postgres/address.ts";
import { givenAddress, secretsIn, withoutPasswords } from "../../../lib/real/state-address.ts";

describe("an address of states", () => {
  test("comes from the flag, else from the environment", () => {
    const env = { ZONEFORM_STATE: "/from-env" };
    expect(givenAddress("here", env)).toEqual({ text: "here", from: "--state" });
    expect(givenAddress(undefined, env)).toEqual({ text: "/from-env", from: "ZONEFORM_STATE" });
    expect(givenAddress(undefined, { ZONEFORM_STATE: "" })).toBeUndefined();
  });

  test.each([
    ["postgres://zf:s3cret-pass@db/x?sslmode=require", "postgres://zf@db/x?sslmode=require", "s3cret-pass"],
    ["postgres://zf:p%40ss-word@db/x", "postgres://zf@db/x", "p@ss-word"],
    ["postgres://zf:p@ss/wo?rd@db/x", "postgres://zf@db/x", "p@ss/wo?rd"],
    [
      "postgres://zf@db/x?user=a&password=s3cret-pass&sslmode=require",
      "postgres://zf@db/x?user=a&sslmode=require",
      "s3cret-pass",
    ],
    ["postgres://:s3cret-pass@db/x", "postgres://@db/x", "s3cret-pass"],
    ["https://zf:s3cret-pass@host/x", "https://host/x", "s3cret-pass"],
    ["https://host/x/{state}?a=1&token=s3cret-pass", "https://host/x/{state}", "s3cret-pass"],
  ])("%s is printed without its password, which is a secret as it stands and decoded", (address, printed, password) => {
    expect(withoutPasswords(address)).toBe(printed);
    const secrets = secretsIn(address).map((secret) => secret.reveal());
    expect(secrets).toContain(password);
    expect(secrets).toContain(address);
  });

  test("without a password is no secret", () => {
    for (const address of [
      "postgres://db/x",
      "postgres://zf@db:5432/x",
      "https://host:8443/a@b",
      "/folder:a@b",
      "C:/states",
    ]) {
      expect(secretsIn(address)).toEqual([]);
      expect(withoutPasswords(address)).toBe(address);
    }
  });

  test.each([
    ["postgres://zf:p@db.example:5433/x", {}, ["db.example"]],
    ["postgres://DB.example/x", { PGHOST: "other" }, ["DB.example"]],
    ["postgres://a,b:1/x", {}, ["a", "b"]],
    ["postgres://[::1]:5432/x", {}, ["::1"]],
    ["postgres://db/x?host=evil", {}, ["evil"]],
    ["postgres:///x?host=%2Frun%2Fpg", {}, ["/run/pg"]],
    ["postgres://", { PGHOST: "db" }, ["db"]],
    ["postgres://", {}, ["localhost"]],
    ["postgres://zf:p@other@db/x", {}, ["other@db"]],
    ["postgres://db/x?host=", { PGHOST: "other" }, ["localhost"]],
    ["postgres://db/x?host=a&host=b", {}, ["b"]],
  ])("%s leads, with %o, to %o", (address, env, hosts) => {
    expect(parseAddress(address, env, { user: "me" }).hosts.map(({ host }) => host)).toEqual(hosts);
  });
});
