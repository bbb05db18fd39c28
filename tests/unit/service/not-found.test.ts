import { describe, expect, it } from "vitest";
import type { Family } from "../../../lib/service/client.ts";
import { AmbiguousError, ApiError, UnreachableError, isNotFound } from "../../../lib/service/errors.ts";

function refused(family: Family, status: number, code?: number): ApiError {
  const entry = { message: "no", ...(code === undefined ? {} : { code }) };
  return new ApiError({ family, status, entries: [entry], request: "GET /x" });
}

describe("an object does not exist", () => {
  it.each([
    ["custom_hostnames", 404, 1436],
    ["certificate_packs", 404, 1408],
    ["certificate_packs", 400, 1408],
    ["custom_certificates", 404, 1408],
    ["custom_csrs", 404, 1419],
    ["rulesets", 404, 10_003],
    ["fallback_origin", 404, 1551],
    ["waf", 404, 10_001],
    ["holds", 400, 1003],
    ["dns_records", 404, 81_044],
  ] as const)("when the service says so of %s: %i, %i", (family, status, code) => {
    expect(isNotFound(refused(family, status, code))).toBe(true);
  });

  it.each([
    ["a 404 without a code", refused("custom_hostnames", 404)],
    ["a call that could not be routed", refused("custom_hostnames", 404, 7003)],
    ["a zone that is gone", refused("custom_hostnames", 403, 9109)],
    ["a zone that is gone, asked for itself", refused("zones", 404, 7003)],
    ["another family's code", refused("custom_hostnames", 404, 1408)],
    ["the code of a call that is not allowed", refused("waf", 403, 10_001)],
    ["that code for a ruleset", refused("rulesets", 404, 10_001)],
    ["an answer that was lost", new AmbiguousError("DELETE /x", { cause: refused("custom_hostnames", 404, 1436) })],
    ["an unreadable answer", new UnreachableError("x", { reason: "unreadable" })],
  ])("but not because of %s", (_case, error) => {
    expect(isNotFound(error)).toBe(false);
  });
});
