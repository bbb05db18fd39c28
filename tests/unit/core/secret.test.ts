import { format, inspect } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secret, fingerprint, isFingerprint } from "../../../lib/core/secret.ts";

const TEXT = "c4nary-value";
const KEY = "00112233445566778899aabbccddeeff";

describe("a secret prints as (sensitive)", () => {
  const secret = new Secret(TEXT);

  it.each([
    ["as a text", String(secret)],
    ["as JSON, inside of something", JSON.stringify({ token: [secret] })],
    ["inspected with everything that is hidden", inspect({ secret }, { depth: 9, showHidden: true, getters: true })],
    ["on the console", format("%s %o %O %j", secret, secret, secret, secret)],
    ["as the cause of an error", inspect(new Error("x", { cause: { secret } }))],
  ])("%s", (_case, shown) => {
    expect(shown).toContain("(sensitive)");
    expect(shown).not.toContain(TEXT);
  });

  it("has no property that holds it, so copies and spreads have none either", () => {
    expect(Reflect.ownKeys(secret)).toEqual([]);
    expect(JSON.stringify(Object.assign({}, secret))).toBe("{}");
  });

  it("gives its text only to reveal", () => {
    expect(secret.reveal()).toBe(TEXT);
  });
});

describe("a fingerprint", () => {
  it("has the same length whatever the length of the secret", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5000 }), (text) => {
        const made = fingerprint(new Secret(text), KEY);
        expect(made.length).toBe(fingerprint(new Secret(""), KEY).length);
        expect(isFingerprint(made)).toBe(true);
      }),
    );
  });

  it("differs for another secret, and for another key", () => {
    const own = fingerprint(new Secret(TEXT), KEY);
    expect(fingerprint(new Secret(`${TEXT}2`), KEY)).not.toBe(own);
    expect(fingerprint(new Secret(TEXT), KEY.replace("11", "10"))).not.toBe(own);
    expect(fingerprint(new Secret(TEXT), KEY)).toBe(own);
  });
});
