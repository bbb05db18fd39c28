import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secret } from "../../../lib/core/secret.ts";
import { redactor } from "../../../lib/service/redact.ts";

const SECRET = 'p4ss "word"/+&é';
const PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n";

describe("the redactor", () => {
  it.each([
    ["as it is", SECRET],
    ["in base64", Buffer.from(SECRET).toString("base64")],
    ["in base64url", Buffer.from(SECRET).toString("base64url")],
    ["URL-encoded", encodeURIComponent(SECRET)],
    ["as a form's value", new URLSearchParams({ x: SECRET }).toString().slice(2)],
    ["inside JSON", JSON.stringify({ x: SECRET })],
  ])("finds a secret %s", (_case, text) => {
    const redacted = redactor([new Secret(SECRET)])(`before ${text} after`);
    expect(redacted).toMatch(/^before .*\(sensitive\).* after$/);
    expect(redacted).not.toContain(text);
  });

  it("finds each line of a PEM, and leaves its frame", () => {
    expect(redactor([new Secret(PEM)])("line hkiG9w0BAQEFAASC of -----BEGIN PRIVATE KEY-----")).toBe(
      "line (sensitive) of -----BEGIN PRIVATE KEY-----",
    );
  });

  it("finds the lines of a PEM that ends its lines as Windows does", () => {
    expect(redactor([new Secret(PEM.replaceAll("\n", "\r\n"))])("MIIEvQIBADANBgkq")).toBe("(sensitive)");
  });

  it("leaves nothing of a longer secret that begins with a shorter one", () => {
    expect(redactor([new Secret("secret-1"), new Secret("secret-1-and-2")])("secret-1-and-2")).toBe("(sensitive)");
  });

  it("does not mask a value of fewer than six characters", () => {
    expect(redactor([new Secret("plan")])("the plan")).toBe("the plan");
  });

  it("changes nothing where there is no secret", () => {
    expect(redactor([])("text")).toBe("text");
  });

  it("finds any secret of six characters or more, in any text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!"(sensitive)".includes(secret) && !(before + after).includes(secret));
        expect(redactor([new Secret(secret)])(`${before} ${secret} ${after}`)).toContain("(sensitive)");
      }),
    );
  });
});
