import { describe, expect, it } from "vitest";
import { HttpFailure } from "../../../lib/service/http.ts";
import { isShown, tracingHttp } from "../../../lib/service/trace.ts";
import { failureOf } from "./world.ts";

const REQUEST = {
  method: "POST",
  url: "https://api.test/zones",
  headers: { Authorization: "Bearer c4nary-token", accept: "application/json" },
  body: '{"custom_key":"c4nary-key"}',
};

describe("a header", () => {
  it.each([
    "Authorization",
    "proxy-authorization",
    "X-Auth-Key",
    "x-auth-email",
    "X-Auth-User-Service-Key",
    "Cookie",
    "Set-Cookie",
    "CF-Access-Client-Secret",
    "x-amz-security-token",
    "x-goog-signature",
    "api-key",
  ])("%s is not shown", (name) => {
    expect(isShown(name)).toBe(false);
  });

  it.each(["accept", "content-type", "cf-ray", "ratelimit", "retry-after", "location"])("%s is shown", (name) => {
    expect(isShown(name)).toBe(true);
  });
});

describe("the trace of a request", () => {
  it("shows what was asked and answered, but neither credentials nor bodies", async () => {
    const said: string[] = [];
    const response = {
      status: 200,
      headers: { "set-cookie": "c4nary-session", "cf-ray": "ray-1" },
      body: "c4nary-body",
    };
    const http = tracingHttp({ send: () => Promise.resolve(response) }, (line) => said.push(line));
    expect(await http.send(REQUEST)).toBe(response);
    expect(said).toEqual([
      "> POST https://api.test/zones | Authorization: (sensitive) | accept: application/json | body of 27 bytes, not shown",
      "< 200 for POST https://api.test/zones | set-cookie: (sensitive) | cf-ray: ray-1",
    ]);
  });

  it("says why there was no answer, and throws the same failure", async () => {
    const said: string[] = [];
    const failure = new HttpFailure("the connection was cut", true);
    const http = tracingHttp({ send: () => Promise.reject(failure) }, (line) => said.push(line));
    expect(await failureOf(http.send(REQUEST))).toBe(failure);
    expect(said[1]).toContain("no answer for POST https://api.test/zones: HttpFailure: the connection was cut");
  });
});
