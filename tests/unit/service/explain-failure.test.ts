import { describe, expect, it } from "vitest";
import type { Family } from "../../../lib/service/client.ts";
import { AmbiguousError, ApiError, UnreachableError } from "../../../lib/service/errors.ts";
import { explainFailure } from "../../../lib/service/explain-failure.ts";
import { HttpFailure } from "../../../lib/service/http.ts";
import { StoreConflict } from "../../../lib/state/lock.ts";

function refused(family: Family, status: number, ...codes: readonly number[]): ApiError {
  const entries = codes.map((code) => ({ code, message: `said ${code}` }));
  return new ApiError({ family, status, entries, requestId: "ray-1", request: "POST /x" });
}

describe("an explanation", () => {
  it("keeps call, status, code, the service's words and the request id", () => {
    const { message } = explainFailure(refused("custom_hostnames", 409, 1406));
    expect(message).toBe(
      "a custom hostname with this name already exists (POST /x was answered 409: 1406 said 1406 (request ray-1))",
    );
  });

  it.each([
    ["an invalid token", refused("zones", 401, 1000), "bad-credential", "CLOUDFLARE_API_TOKEN"],
    ["malformed headers, sent with 400", refused("zones", 400, 6003, 6111), "bad-credential", "TOKEN"],
    ["a token in the key's place", refused("zones", 400, 6003, 6103), "bad-credential", "CLOUDFLARE_API_TOKEN"],
    ["an unknown key", refused("zones", 403, 9103), "bad-credential", "CLOUDFLARE_EMAIL"],
    ["missing headers", refused("zones", 400, 9106), "bad-credential", "CLOUDFLARE_API_TOKEN"],
    ["a zone that does not exist", refused("custom_hostnames", 403, 9109), "not-allowed", "zone's id"],
    ["a zone that was deleted", refused("zones", 403, 9109), "not-allowed", "zoneform state rm --zone ZONE"],
    ["a zone that no route leads to", refused("zones", 404, 7003), "not-found", "zoneform state rm --zone ZONE"],
    ["a success without a result", new UnreachableError("x", { reason: "unusable" }), "strange-answer", "try again"],
    ["a missing permission", refused("rulesets", 403, 10_000), "not-allowed", "permission"],
    ["an id that leads nowhere", refused("rulesets", 404, 7003, 7000), "not-found", "zone's id"],
    ["a 401 without a code", refused("zones", 401), "bad-credential", "credential"],
    ["a storm of 429", refused("zones", 429), "throttled", "budget.api"],
    ["a storm that stopped all calls", new UnreachableError("x", { reason: "throttled" }), "throttled", "budget.api"],
    ["HTML instead of JSON", new UnreachableError("x", { reason: "unreadable" }), "not-json", "/client/v4"],
    ["a redirect", new UnreachableError("x", { reason: "redirect" }), "redirected", "--api-url"],
    ["the quota", refused("custom_hostnames", 403, 1405), "refused-by-service", "quota"],
    ["the choice of a CA", refused("custom_hostnames", 400, 1459), "refused-by-service", "default"],
    ["a name that is too long", refused("custom_hostnames", 400, 1469), "refused-by-service", "branding"],
    ["a second entry point", refused("rulesets", 400, 20_217), "refused-by-service", "adopt"],
    ["an unknown code", refused("total_tls", 400, 4711), "refused-by-service", "try again"],
    ["a lock that somebody freed", new StoreConflict("the lock was freed"), "state-taken-over", "apply again"],
    ["our own mistake", new TypeError("x"), "unexpected", "report"],
  ])("says what to do about %s", (_case, failure, code, remedy) => {
    expect(explainFailure(failure)).toMatchObject({ severity: "error", code, remedy: expect.stringContaining(remedy) });
  });

  it.each([
    ["name", "DNS"],
    ["refused", "port"],
    ["tls", "certificate"],
    ["timeout", "firewall"],
  ] as const)("has a remedy of its own for a network failure by %s", (reason, remedy) => {
    const failure = new UnreachableError("no answer", { cause: new HttpFailure("x", false, { reason }) });
    expect(explainFailure(failure)).toMatchObject({ code: "unreachable", remedy: expect.stringContaining(remedy) });
  });

  it("of a lost answer says why it was lost, and that nothing is sent twice", () => {
    const failure = new AmbiguousError("POST /x", { cause: new Error("other side closed") });
    expect(explainFailure(failure)).toMatchObject({
      code: "answer-lost",
      message: "it may have taken effect: POST /x was sent, but its result is not known: other side closed",
      remedy: expect.stringContaining("nothing is created twice"),
    });
  });

  it("names the call of a lost answer once", () => {
    const cause = new UnreachableError("POST /x at http://127.0.0.1 got no response: other side closed");
    expect(explainFailure(new AmbiguousError("POST /x", { cause })).message).toBe(
      "it may have taken effect: POST /x at http://127.0.0.1 got no response: other side closed",
    );
  });

  it("differs for the same number in two families", () => {
    const [hostname, fallback] = (["custom_hostnames", "fallback_origin"] as const).map(
      (family) => explainFailure(refused(family, 400, 1414)).message,
    );
    expect(hostname).not.toBe(fallback);
  });
});
