import { describe, expect, test } from "vitest";
import { redactionOf } from "../../../lib/real/credential-redaction.ts";
import { parseAddress } from "../../../lib/state/engines/postgres/address.ts";
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
    ["https://zf:12/s3cret-pass@host/x", "https://host/x", "12/s3cret-pass"],
    ["https://zf:p@ss?s3cret-pass@host/x", "https://host/x", "p@ss?s3cret-pass"],
    ["https://host/x/{state}?a=1&token=s3cret-pass", "https://host/x/{state}", "s3cret-pass"],
  ])("%s is printed without its password, which is a secret as it stands and decoded", (address, printed, password) => {
    expect(withoutPasswords(address)).toBe(printed);
    const secrets = secretsIn(address).map((secret) => secret.reveal());
    expect(secrets).toContain(password);
  });

  test.each([
    [
      "postgres://zf:s3cret-pass@127.0.0.1:54321/states?schema=edge",
      "postgres://zf:(sensitive)@127.0.0.1:54321/states?schema=edge",
    ],
    [
      "postgres://zf:abc@127.0.0.1:54321/states?schema=edge",
      "postgres://(sensitive)127.0.0.1:54321/states?schema=edge",
    ],
    [
      "postgres://zf@127.0.0.1:54321/states?password=abc&schema=edge",
      "postgres://zf@127.0.0.1:54321/states?(sensitive)&schema=edge",
    ],
    ["https://zf:abc@states.example/zoneform", "https://(sensitive)states.example/zoneform"],
    ["https://states.example/zoneform?token=abc", "https://states.example/zoneform?(sensitive)"],
  ])("%s hides its password wherever it is printed, and nothing else", (address, printed) => {
    const redaction = redactionOf({ ZONEFORM_STATE: address });
    expect(redaction.redact(address)).toBe(printed);
    const rest =
      "postgres://127.0.0.1:54321/states/edge, https://states.example/zoneform, ECONNREFUSED 127.0.0.1:54321";
    expect(redaction.redact(rest)).toBe(rest);
  });

  test("without a password is no secret", () => {
    for (const address of [
      "postgres://db/x",
      "postgres://zf@db:5432/x",
      "https://host:8443/a%40b",
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
    ["postgres://db/x?host=", { PGHOST: "other" }, ["localhost"]],
    ["postgres://db/x?host=a&host=b", {}, ["b"]],
  ])("%s leads, with %o, to %o", (address, env, hosts) => {
    expect(parseAddress(address, env, { user: "me" }).hosts.map(({ host }) => host)).toEqual(hosts);
  });
});

describe("an address of PostgreSQL", () => {
  const parse = (address: string): ReturnType<typeof parseAddress> => parseAddress(address, {}, { user: "me" });

  test.each([
    "postgres://zf:Sesame77@x7Q9zK@127.0.0.1/states",
    "postgres://zf:123/x7Q9zK@127.0.0.1/states",
    "postgres://zf:123?x7Q9zK@127.0.0.1/states",
    "postgres://zf:123#x7Q9zK@127.0.0.1/states",
  ])(
    "whose password is not encoded is refused before anything is looked up, and none of it is named: %s",
    (address) => {
      let message = "";
      try {
        parse(address);
      } catch (thrown) {
        message = String(thrown);
      }
      expect(message).toMatch(/write @ as %40|does not have the form/);
      expect(message).not.toContain("x7Q9zK");
    },
  );

  test.each([
    "POSTGRES://zf@h/db",
    "postgresql://zf@h/db?sslmode=require&channel_binding=require",
    "postgresql://zf@h/db?sslmode=require&channel_binding=prefer",
    "postgres://zf@h/db?target_session_attrs=read-write",
    "postgres://zf@h/db?pgbouncer=true&gssencmode=disable",
    "postgres://h/db?user=me@server",
  ])("as a hosting service prints it is taken: %s", (address) => {
    expect(parse(address)).toMatchObject({ hosts: [{ host: "h" }], database: "db" });
  });

  test("that asks for what would not hold is refused with what to do", () => {
    expect(() => parse("postgres://h/db?channel_binding=always")).toThrow("not disable, prefer or require");
    expect(() => parse("postgres://h/db?target_session_attrs=standby")).toThrow("known are host, port, user");
  });
});
