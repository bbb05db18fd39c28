import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlainWord, openRedaction, type Redaction } from "../../../lib/core/redaction.ts";
import { Secret } from "../../../lib/core/secret.ts";

const SECRET = 'p4ss "word"/+&é';
const PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n";

function knowing(...secrets: readonly string[]): Redaction {
  const redaction = openRedaction();
  for (const secret of secrets) redaction.learn(new Secret(secret));
  return redaction;
}

describe("a text that goes out loses a secret", () => {
  it.each([
    ["as it is", SECRET],
    ["in base64", Buffer.from(SECRET).toString("base64")],
    ["in base64url", Buffer.from(SECRET).toString("base64url")],
    ["in hex", Buffer.from(SECRET).toString("hex")],
    ["in hex with capitals", Buffer.from(SECRET).toString("hex").toUpperCase()],
    ["URL-encoded", encodeURIComponent(SECRET)],
    ["URL-encoded in lower case", encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
    ["as a form's value", new URLSearchParams({ x: SECRET }).toString().slice(2)],
    ["inside JSON", JSON.stringify({ x: SECRET })],
    ["inside JSON inside JSON", JSON.stringify(JSON.stringify({ x: SECRET }))],
  ])("%s", (_case, text) => {
    const redacted = knowing(SECRET).redact(`before ${text} after`);
    expect(redacted).toMatch(/^before .*\(sensitive\).* after$/);
    expect(redacted).not.toContain(text);
  });

  it.each(["", "u", "us", "use", "user:", "longer-user:"])("inside base64 of a longer text, after %j", (before) => {
    const token = "v1.0-abcdefghijklmnopqrstuvwxyz";
    const redacted = knowing(token).redact(Buffer.from(`${before}${token}@host`).toString("base64"));
    expect(redacted).toContain("(sensitive)");
    expect(Buffer.from(redacted.replace("(sensitive)", ""), "base64").toString()).not.toContain("abcdef");
  });

  it("as the hex of a whole PEM", () => {
    const redacted = knowing(PEM).redact(Buffer.from(PEM).toString("hex"));
    expect(redacted).not.toContain(Buffer.from("MIIEvQ").toString("hex"));
    expect(redacted).not.toContain(Buffer.from("hkiG9w").toString("hex"));
  });

  it("line by line of a PEM, and keeps its frame", () => {
    expect(knowing(PEM).redact("line hkiG9w0BAQEFAASC of -----BEGIN PRIVATE KEY-----")).toBe(
      "line (sensitive) of -----BEGIN PRIVATE KEY-----",
    );
  });

  it("line by line of a PEM with Windows line ends, and of one without a last line end", () => {
    expect(knowing(PEM.replaceAll("\n", "\r\n")).redact("MIIEvQIBADANBgkq")).toBe("(sensitive)");
    expect(knowing(`${PEM}MIIEvgIBADANBgkq`).redact("MIIEvgIBADANBgkq")).toBe("(sensitive)");
  });

  it("as a whole if each of its lines is short", () => {
    expect(knowing("ab\ncd\nef").redact("x ab\ncd\nef y")).toBe("x (sensitive) y");
  });

  it("that line breaks and control characters cut into chunks, which a terminal shows apart", () => {
    expect(knowing("first-half\tsecond-half").redact(String.raw`first-half\u{9}second-half`)).toBe(
      String.raw`(sensitive)\u{9}(sensitive)`,
    );
  });

  it("completely if it begins with a shorter one", () => {
    expect(knowing("secret-1", "secret-1-and-2").redact("secret-1-and-2")).toBe("(sensitive)");
  });

  it("of which only the beginning is left, because a long message was cut", () => {
    expect(knowing("v1.0-abcdefgh", "v1.0-abc-other").redact("the header v1.0-abcd…")).toBe("the header (sensitive)…");
    expect(knowing("v1.0-abcdefgh").redact("v1.0-abxx…")).toBe("v1.0-abxx…");
  });

  it("but not one of fewer than six characters, which would mask ordinary words", () => {
    expect(knowing("plan").redact("the plan")).toBe("the plan");
  });

  it("and nothing else: without secrets it stays as it is", () => {
    expect(knowing().redact("text")).toBe("text");
  });

  it("whatever the secret and the text around it", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!isPlainWord(secret) && !"(sensitive)".includes(secret) && !(before + after).includes(secret));
        const redacted = knowing(secret).redact(`${before}|${secret}|${after}`);
        expect(redacted).toContain("(sensitive)");
        expect(redacted.includes(secret)).toBe(false);
      }),
    );
  });
});

describe("a plain word", () => {
  it.each(["postgres", "custom_hostname", "Password"])("%s stays readable, but not in base64", (word) => {
    const redaction = openRedaction();
    expect(redaction.learn(new Secret(word))).toBe(false);
    expect(redaction.redact(`the ${word}s`)).toBe(`the ${word}s`);
    expect(redaction.redact(Buffer.from(`robot:${word}`).toString("base64"))).toContain("(sensitive)");
  });

  it.each([
    "postgres-7",
    "postGres",
    "POSTGRES",
    "two words",
    "custom__hostname",
    "correct-horse",
    "passwordofmanyletters",
  ])("%s is none, and hidden", (secret) => {
    const redaction = openRedaction();
    expect(redaction.learn(new Secret(secret))).toBe(true);
    expect(redaction.redact(`the ${secret}s`)).toBe("the (sensitive)s");
  });
});
