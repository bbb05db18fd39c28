import { describe, expect, test } from "vitest";
import { redactionOf } from "../../../lib/real/credential-redaction.ts";
import { withoutPasswords } from "../../../lib/real/state-address.ts";
import { stateEngine } from "../../../lib/real/stores.ts";

const from = "--state";
const of = (text: string): string => stateEngine({}, { text, from }, {});

describe("the engine of an address", () => {
  test.each([
    ["postgres://h/db", "postgres"],
    ["postgresql://h/db", "postgres"],
    ["POSTGRES://h/db", "postgres"],
    ["s3://states/edge", "s3"],
    ["S3://states", "s3"],
    ["https://h/path", "http"],
    ["http://127.0.0.1/path", "http"],
    ["./postgres:/h/db", "local"],
    ["./host=db", "local"],
    ["./postgres", "local"],
    ["s3", "local"],
  ])("%s is %s", (address, engine) => {
    expect(of(address)).toBe(engine);
  });

  test.each([
    "host=db port=5432 user=zf password=hunter2secret dbname=states",
    "dbname = states password = 'hunter2secret'",
    "postgres:zf:hunter2secret@h/db",
    "postgres:/zf:hunter2secret@h/db",
    "s3:/states",
    "https:/host/path",
  ])("%s is no folder, and its password is not printed", (address) => {
    expect(() => of(address)).toThrow("--state looks like the address of a server, and not like a folder");
    const redaction = redactionOf({ ZONEFORM_STATE: address });
    expect(redaction.redact(`zoneform apply --state '${address}'`)).not.toContain("hunter2");
    expect(withoutPasswords(address)).not.toContain("hunter2");
    if (address.includes("hunter2")) expect(redaction.redact("is it hunter2secret?")).not.toContain("hunter2");
  });

  test("is unknown for any other scheme", () => {
    expect(() => of("mysql://h/db")).toThrow("--state has an address of mysql://, where no states can be kept");
  });
});

describe("the engine that the project file wants", () => {
  test("is the one of the address", () => {
    const wanting = (): string => stateEngine({ engine: "postgres" }, { text: "./states", from }, {});
    expect(wanting).toThrow("the project file wants the states in PostgreSQL, but --state puts them in a folder");
    expect(stateEngine({ engine: "s3" }, { text: "s3://states", from }, {})).toBe("s3");
  });

  test("follows from a setting that only one engine has", () => {
    expect(stateEngine({ schema: "edge" }, undefined, { PGHOST: "db" })).toBe("postgres");
    expect(() => stateEngine({ bucket: "states" }, { text: "postgres://h/db", from }, {})).toThrow(
      "the project file wants the states on S3, but --state puts them in PostgreSQL",
    );
  });

  test("needs an address, unless it is a folder or libpq's variables say it", () => {
    expect(() => stateEngine({ engine: "http" }, undefined, {})).toThrow(
      "the project file wants the states on an HTTP server, and nothing says where",
    );
    expect(() => stateEngine({ engine: "postgres" }, undefined, {})).toThrow("nothing says where");
    expect(() => stateEngine({ host: "s3.internal" }, undefined, { PGHOST: "db" })).toThrow(
      "nothing says what keeps them there",
    );
    expect(() => stateEngine({ host: "db" }, { text: "./states", from }, {})).toThrow("leads to a folder");
    expect(stateEngine({ engine: "local" }, undefined, {})).toBe("local");
    expect(stateEngine({}, undefined, {})).toBe("local");
  });
});
