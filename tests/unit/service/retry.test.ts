import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../lib/service/envelope.ts";
import { HttpFailure, type HttpFailureReason } from "../../../lib/service/http.ts";
import { type Attempt, delayAfter, judge } from "../../../lib/service/retry.ts";
import { RANDOM } from "./world.ts";

const WRITES = ["POST", "PUT", "PATCH", "DELETE"] as const;

function answered(status: number, body: string): Attempt {
  const response = { status, headers: {}, body };
  return { kind: "answered", response, reading: readAnswer(response) };
}

function refused(status: number, code: number): Attempt {
  return answered(status, JSON.stringify({ success: false, errors: [{ code, message: "no" }] }));
}

function failed(sent: boolean, reason: HttpFailureReason): Attempt {
  return { kind: "failed", failure: new HttpFailure("no answer", sent, { reason }) };
}

describe.each(WRITES)("after a %s", (method) => {
  it.each([
    ["the connection was cut after it was sent", failed(true, "cut"), "lost"],
    ["its answer took too long", failed(true, "timeout"), "lost"],
    ["its answer was too large", failed(true, "too-large"), "lost"],
    ["it was aborted on the way", failed(true, "aborted"), "lost"],
    ["the server failed", refused(500, 1500), "lost"],
    ["a proxy failed", answered(502, "<html>"), "lost"],
    ["a proxy gave up waiting for it", answered(408, "<html>"), "lost"],
    ["the server gave up waiting for it", refused(408, 1500), "lost"],
    ["a success cannot be read", answered(200, '{"success":tr'), "lost"],
    ["a success contradicts itself", answered(200, '{"success":true,"errors":[{"code":1}],"result":{}}'), "lost"],
    ["the connection was refused", failed(false, "refused"), "again"],
    ["the name did not resolve", failed(false, "name"), "again"],
    ["connecting took too long", failed(false, "timeout"), "again"],
    ["TLS failed", failed(false, "tls"), "hopeless"],
    ["a success has no result", answered(200, '{"success":true,"errors":[],"result":null}'), "lost"],
    ["a success has a list for a result", answered(200, '{"success":true,"errors":[],"result":[]}'), "lost"],
    ["a success has no body", answered(204, ""), "lost"],
    ["a bare id comes where an object is documented", answered(200, '{"id":"a"}'), "lost"],
    ["a proxy wants a login", answered(401, "<html>"), "lost"],
    ["a proxy refused it", answered(403, "<html>"), "lost"],
    ["a proxy does not know the path", answered(404, "<html>"), "lost"],
    ["a proxy wants its own login", answered(407, "<html>"), "lost"],
    ["a gateway refused it in JSON", answered(403, '{"message":"Forbidden"}'), "lost"],
    ["a gateway refused it with errors of its own", answered(404, '{"errors":[{"message":"not found"}]}'), "lost"],
    ["a refusal has no reason", answered(403, '{"success":false,"errors":[]}'), "lost"],
    ["a refusal claims success too", answered(403, '{"success":true,"errors":[{"code":1}]}'), "lost"],
    ["the protocol was switched", answered(101, ""), "lost"],
    ["it was redirected", answered(307, ""), "lost"],
    ["it was redirected to what it made", answered(303, ""), "lost"],
    ["the service refused it", refused(409, 1406), "refused"],
    ["the service refused it inside 200", refused(200, 1406), "refused"],
    ["it was one too many", refused(429, 10_100), "throttled"],
    ["a proxy says that it was one too many", answered(429, "<html>"), "lost"],
    ["it was one too many, inside 200", refused(200, 971), "throttled"],
    ["it succeeded", answered(200, '{"success":true,"errors":[],"result":{"id":"a"}}'), "done"],
  ])("when %s", (_case, attempt, verdict) => {
    expect(judge(method, attempt)).toBe(verdict);
  });
});

describe("after a GET", () => {
  it.each([
    ["the connection was cut", failed(true, "cut"), "again"],
    ["its answer took too long", failed(true, "timeout"), "again"],
    ["the name did not resolve", failed(false, "name"), "again"],
    ["its answer was too large", failed(true, "too-large"), "hopeless"],
    ["TLS failed", failed(false, "tls"), "hopeless"],
    ["the server failed", refused(503, 1500), "again"],
    ["HTML came", answered(200, "<html>"), "again"],
    ["half a document came", answered(200, '{"result":['), "again"],
    ["a success has no result", answered(200, '{"success":true,"errors":[],"result":null}'), "again"],
    ["a success has no body", answered(204, ""), "again"],
    ["a proxy does not know the path", answered(404, "<html>"), "again"],
    ["a gateway wants a login", answered(401, '{"message":"Unauthorized"}'), "again"],
    ["it was one too many", refused(200, 971), "throttled"],
    ["a proxy says that it was one too many", answered(429, "<html>"), "throttled"],
    ["the object is gone", refused(404, 1436), "refused"],
    ["it was redirected", answered(302, ""), "hopeless"],
  ])("when %s", (_case, attempt, verdict) => {
    expect(judge("GET", attempt)).toBe(verdict);
  });
});

describe("the wait between attempts", () => {
  it("doubles from half a second to eight", () => {
    expect([1, 2, 3, 4, 5, 6, 9].map((failures) => delayAfter(failures, RANDOM))).toEqual([
      500, 1000, 2000, 4000, 8000, 8000, 8000,
    ]);
  });

  it("is up to a quarter shorter", () => {
    expect(delayAfter(1, { ...RANDOM, fraction: () => 0.999 })).toBe(375);
  });
});
