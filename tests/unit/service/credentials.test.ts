import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { authorization, readCredentials } from "../../../lib/service/credentials.ts";

const TOKEN = "T0ken-value-of-this-test";
const KEY = "k3y-of-this-test";

describe("credentials", () => {
  it("a token becomes a bearer header", () => {
    const read = readCredentials({ CLOUDFLARE_API_TOKEN: TOKEN });
    expect(read.ok && authorization(read.value)).toEqual({ authorization: `Bearer ${TOKEN}` });
  });

  it("a key and its e-mail become their two headers", () => {
    const read = readCredentials({ CLOUDFLARE_API_KEY: "k3y-of-this-test", CLOUDFLARE_EMAIL: "a@b.test" });
    expect(read.ok && authorization(read.value)).toEqual({
      "x-auth-email": "a@b.test",
      "x-auth-key": "k3y-of-this-test",
    });
  });

  it("an unused e-mail beside a token does no harm", () => {
    const read = readCredentials({ CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_EMAIL: "a@b.test" });
    expect(read.ok && read.value.scheme).toBe("token");
  });

  it("print as (sensitive)", () => {
    const read = readCredentials({ CLOUDFLARE_API_TOKEN: TOKEN });
    expect(inspect(read, { depth: 9 }) + JSON.stringify(read)).not.toContain(TOKEN);
  });

  it.each([
    ["nothing is set", {}, "no credential is set"],
    ["the token is empty", { CLOUDFLARE_API_TOKEN: "" }, "CLOUDFLARE_API_TOKEN is set, but empty"],
    ["both schemes are set", { CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_API_KEY: KEY }, "both set"],
    ["the key has no e-mail", { CLOUDFLARE_API_KEY: KEY }, "CLOUDFLARE_API_KEY is set without CLOUDFLARE_EMAIL"],
    ["the e-mail has no key", { CLOUDFLARE_EMAIL: "a@b.test" }, "CLOUDFLARE_EMAIL is set without CLOUDFLARE_API_KEY"],
  ])("are refused, with a remedy, when %s", (_case, environment, message) => {
    const read = readCredentials(environment);
    expect(read.ok ? [] : read.diagnostics).toEqual([
      expect.objectContaining({ message: expect.stringContaining(message), remedy: expect.stringMatching(/\w/) }),
    ]);
  });

  it.each([
    ["a trailing line feed", `${TOKEN}\n`, "a line break"],
    ["a header after a line break", `${TOKEN}\r\nx-evil: 1`, "a line break"],
    ["a NUL", `${TOKEN}\0`, "control character"],
    ["a trailing space", `${TOKEN} `, "a space"],
    ["a letter that is not ASCII", `${TOKEN}é`, "not ASCII"],
    ["too few characters to be a token, or to be masked", "T0ken", "fewer than 6 characters"],
  ])("a token with %s is refused without repeating it", (_case, token, fault) => {
    const read = readCredentials({ CLOUDFLARE_API_TOKEN: token });
    expect(read.ok).toBe(false);
    expect(JSON.stringify(read)).toContain(fault);
    expect(JSON.stringify(read)).not.toContain(TOKEN);
  });

  it("a key with a line break is refused like a token", () => {
    expect(readCredentials({ CLOUDFLARE_API_KEY: "k\n", CLOUDFLARE_EMAIL: "a@b.test" }).ok).toBe(false);
  });
});
