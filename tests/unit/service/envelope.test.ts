import { describe, expect, it } from "vitest";
import type { Answer } from "../../../lib/service/client.ts";
import { readAnswer } from "../../../lib/service/envelope.ts";

function read(status: number, body: string, wanted: Answer = "object"): ReturnType<typeof readAnswer> {
  return readAnswer({ status, headers: {}, body }, wanted);
}

/** An envelope of a list with this `result_info`. */
function listWith(info: string): ReturnType<typeof readAnswer> {
  return read(200, `{"success":true,"result":[],"result_info":${info}}`, "list");
}

describe("the envelope", () => {
  it("gives the result and its page information", () => {
    const info = '{"page":1,"per_page":50,"count":1,"total_count":120,"total_pages":3}';
    const body = `{"success":true,"errors":[],"messages":[],"result":[1],"result_info":${info}}`;
    expect(read(200, body, "list")).toEqual({
      kind: "success",
      result: [1],
      page: { perPage: 50, totalCount: 120, totalPages: 3 },
      characters: body.length,
    });
  });

  it.each([
    [
      "messages are plain strings",
      200,
      '{"success":true,"errors":[],"messages":["note"],"result":{"id":"a"}}',
      { id: "a" },
    ],
    ["errors and messages are missing", 200, '{"success":true,"result":{"id":"a"}}', { id: "a" }],
    [
      "errors and messages are null",
      201,
      '{"success":true,"errors":null,"messages":null,"result":{"id":"a"}}',
      { id: "a" },
    ],
    ["only a result is there", 202, '{"result":{"id":"a"}}', { id: "a" }],
  ])("reads as a success although %s", (_case, status, body, result) => {
    expect(read(status, body)).toMatchObject({ kind: "success", result });
  });

  it.each([
    ["a bare id of what is gone", "gone", 200, '{"id":"a"}', { id: "a" }],
    ["the record of what is gone", "gone", 200, '{"success":true,"result":{"origin":"a"}}', { origin: "a" }],
    ["no body where nothing is documented", "nothing", 204, "", null],
    ["null where nothing is documented", "nothing", 200, '{"success":true,"result":null}', null],
    ["null for an empty list", "list", 200, '{"success":true,"result":null,"result_info":{"total_count":0}}', null],
  ] as const)("accepts %s", (_case, wanted, status, body, result) => {
    expect(read(status, body, wanted)).toMatchObject({ kind: "success", result });
  });

  it.each([
    ["no body for an object", "object", 204, ""],
    ["no body for a list", "list", 204, ""],
    ["no body for what is gone", "gone", 204, ""],
    ["null for an object", "object", 200, '{"success":true,"result":null}'],
    ["no result at all for an object", "object", 200, '{"success":true}'],
    ["a list for an object", "object", 200, '{"success":true,"result":[{"id":"a"}]}'],
    ["a text for an object", "object", 200, '{"success":true,"result":"done"}'],
    ["null for a list that nobody counts", "list", 200, '{"success":true,"result":null}'],
    ["null for a list of three", "list", 200, '{"success":true,"result":null,"result_info":{"total_count":3}}'],
    ["an object for a list", "list", 200, '{"success":true,"result":{"id":"a"}}'],
    ["null for what is gone", "gone", 200, '{"success":true,"result":null}'],
  ] as const)("does not accept %s", (_case, wanted, status, body) => {
    expect(read(status, body, wanted)).toMatchObject({ kind: "unusable" });
  });

  it("accepts no bare id as an object: that is not documented", () => {
    expect(read(200, '{"id":"a"}')).toEqual({ kind: "unreadable", was: "JSON that is no envelope" });
  });

  it("knows the cursor of the next page, and that an empty cursor means the end", () => {
    expect(listWith('{"cursors":{"after":"next"}}')).toMatchObject({ page: { after: "next" } });
    expect(listWith('{"cursors":{"after":""}}')).toEqual(expect.objectContaining({ page: {} }));
  });

  it("also knows the cursor by the official client's name", () => {
    expect(listWith('{"cursor":"next"}')).toMatchObject({ page: { after: "next" } });
    expect(listWith('{"cursor":""}')).toEqual(expect.objectContaining({ page: {} }));
  });

  it("treats nonsensical page numbers as missing", () => {
    const info = '{"per_page":-1,"total_count":"12","total_pages":1.5}';
    expect(listWith(info)).toEqual(expect.objectContaining({ page: {} }));
    expect(listWith("null")).toEqual(expect.objectContaining({ kind: "success", page: {} }));
  });

  it("reads a refusal inside HTTP 200 as a refusal", () => {
    expect(read(200, '{"success":false,"errors":[{"code":971,"message":"please wait"}],"result":null}')).toEqual({
      kind: "refusal",
      entries: [{ code: 971, message: "please wait" }],
    });
  });

  it("keeps pointers, works without codes, and unfolds the chain", () => {
    const errors =
      '[{"message":"no code"},{"code":20217,"message":"kind","source":{"pointer":"/kind"}},{"code":6003,"message":"headers","error_chain":[{"code":6103,"message":"key"}]},"plain"]';
    expect(read(400, `{"success":false,"errors":${errors}}`)).toEqual({
      kind: "refusal",
      entries: [
        { message: "no code" },
        { code: 20217, message: "kind", pointer: "/kind" },
        { code: 6003, message: "headers" },
        { code: 6103, message: "key" },
        { message: "plain" },
      ],
    });
  });

  it("recognises the timeout of an old part of the service although it omits success", () => {
    expect(read(504, '{"errors":[{"message":"gateway_timeout"}]}')).toMatchObject({ kind: "refusal" });
  });

  it("cuts an error text of a megabyte", () => {
    const reading = read(
      400,
      JSON.stringify({ success: false, errors: [{ code: 1, message: "x".repeat(1_000_000) }] }),
    );
    expect(JSON.stringify(reading).length).toBeLessThan(1000);
  });

  it.each([
    ["HTML", 200, "<!doctype html><html></html>", "HTML instead of JSON"],
    ["HTML of a proxy", 502, "  <html>Bad gateway", "HTML instead of JSON"],
    ["half a document", 200, '{"success":true,"result":[{"id":"a"', "JSON that is cut off or broken"],
    ["nothing", 200, "", "an empty body instead of JSON"],
    ["text", 403, "error code: 1010", "something else than JSON"],
    ["gzip bytes", 200, "\u001f\ufffd\b", "something else than JSON"],
    ["a list", 200, "[]", "JSON that is no envelope"],
    ["a foreign object", 200, '{"status":"ok"}', "JSON that is no envelope"],
    ["a foreign error", 404, '{"error":"not found"}', "JSON that is no envelope"],
    ["a gateway's errors", 403, '{"errors":[{"message":"no"}]}', "JSON that is no envelope"],
    ["a refusal that gives no reason", 403, '{"success":false,"errors":[]}', "a refusal without a reason"],
    ["such a refusal inside 200", 200, '{"success":false,"result":null}', "a refusal without a reason"],
    ["a refusal that claims success", 403, '{"success":true,"errors":[{"code":1}]}', "JSON that is no envelope"],
    [
      "a success with errors",
      200,
      '{"success":true,"errors":[{"code":1,"message":"no"}],"result":{}}',
      "success together with errors",
    ],
  ])("%s is unreadable, and named", (_case, status, body, was) => {
    expect(read(status, body)).toEqual({ kind: "unreadable", was });
  });

  it("keeps a key __proto__ as a key", () => {
    const reading = read(200, '{"success":true,"result":{"id":"a","__proto__":{"admin":true}}}');
    expect(Object.hasOwn({}, "admin")).toBe(false);
    expect("admin" in Object(reading.kind === "success" ? reading.result : {})).toBe(false);
  });
});
