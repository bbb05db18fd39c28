import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { text } from "../../../lib/core/decode.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import type { PagedRequest } from "../../../lib/service/client.ts";
import type { HttpRequest, HttpResponse } from "../../../lib/service/http.ts";
import { answer, clientOver, failureOf, refusal } from "./world.ts";

const LIST: PagedRequest = {
  path: "/zones/z/custom_hostnames",
  family: "custom_hostnames",
  pageSizes: [5],
  style: "page",
};

async function idsOf(pages: AsyncIterable<JsonObject>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const item of pages) ids.push(text(item, "id"));
  return ids;
}

/** The ids in an order that does not depend on the pages. */
async function sortedIdsOf(pages: AsyncIterable<JsonObject>): Promise<readonly string[]> {
  return [...(await idsOf(pages))].sort();
}

function named(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `h${index}`);
}

function parameter(request: HttpRequest, name: string): string {
  return new URL(request.url).searchParams.get(name) ?? "";
}

/** The page of a list that a request asks for, with or without the optional parts of `result_info`. */
function pageOf(
  ids: readonly string[],
  request: HttpRequest,
  said: "all" | "no total_pages" | "nothing" = "all",
): HttpResponse {
  const [page, size] = [Number(parameter(request, "page")), Number(parameter(request, "per_page"))];
  const items = ids.slice((page - 1) * size, page * size).map((id) => ({ id }));
  const full = { page, per_page: size, count: items.length, total_count: ids.length };
  if (said === "nothing") return answer(items);
  return answer(items, said === "all" ? { ...full, total_pages: Math.ceil(ids.length / size) } : full);
}

describe("pages by number", () => {
  it.each(["all", "no total_pages", "nothing"] as const)(
    "are read to the last one if the service gives %s",
    async (said) => {
      for (const count of [0, 1, 5, 12, 15]) {
        const { client } = clientOver((request) => pageOf(named(count), request, said));
        expect(await idsOf(client.pages(LIST))).toEqual(named(count));
      }
    },
  );

  it("need one request each", async () => {
    const { client, sent } = clientOver((request) => pageOf(named(15), request));
    await idsOf(client.pages({ ...LIST, query: { hostname: "a.test" } }));
    expect(sent.map(({ url }) => url.split("?")[1])).toEqual(
      [1, 2, 3].map((page) => `hostname=a.test&page=${page}&per_page=5`),
    );
  });

  it("lose no object when a deletion moves the others up", async () => {
    let ids = named(12);
    const { client, sent } = clientOver((request, index) => {
      if (index === 1) ids = ids.filter((id) => id !== "h0");
      return pageOf(ids, request);
    });
    expect(await sortedIdsOf(client.pages(LIST))).toEqual(named(12).sort());
    expect(sent).toHaveLength(6);
  });

  it("neither lose nor duplicate objects that move between pages", async () => {
    const moves = fc.array(fc.shuffledSubarray(named(17), { minLength: 17 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(moves, async (orders) => {
        // Nothing moves during the last of the three readings; 17 objects are four pages of five.
        const { client } = clientOver((request, index) => pageOf(orders[index] ?? named(17), request));
        expect(await sortedIdsOf(client.pages(LIST))).toEqual(named(17).sort());
      }),
    );
  });

  it("of a list that never stands still are read three times, and that is reported", async () => {
    let count = 12;
    const { client, sent, events } = clientOver((request) => pageOf(named(count++), request));
    expect(new Set(await idsOf(client.pages(LIST))).size).toBeGreaterThanOrEqual(12);
    expect(sent.length).toBeLessThan(20);
    expect(events).toEqual([expect.objectContaining({ type: "incomplete-list", path: LIST.path })]);
  });

  it("end with an error if they are always the same", async () => {
    const { client, sent } = clientOver(() =>
      answer(
        named(5).map((id) => ({ id })),
        { total_count: 500, total_pages: 100 },
      ),
    );
    expect(await failureOf(idsOf(client.pages(LIST)))).toMatchObject({
      name: "UnreachableError",
      reason: "broken-list",
    });
    expect(sent.length).toBeLessThan(12);
  });

  it("end with an error if they are always the same and have no total", async () => {
    const { client, sent } = clientOver(() => answer(named(5).map((id) => ({ id }))));
    expect(await idsOf(client.pages(LIST))).toEqual(named(5));
    expect(sent).toHaveLength(2);
  });

  it("end at an empty page, whatever the total is", async () => {
    const { client, sent } = clientOver(() => answer([], { total_count: 500, total_pages: 100 }));
    expect(await idsOf(client.pages(LIST))).toEqual([]);
    expect(sent).toHaveLength(3);
  });

  it("may be smaller than asked for", async () => {
    const { client } = clientOver((request) => {
      const small = { ...request, url: request.url.replace("per_page=1000", "per_page=5") };
      return pageOf(named(12), small, "no total_pages");
    });
    expect(await idsOf(client.pages({ ...LIST, pageSizes: [1000, 50] }))).toEqual(named(12));
  });

  it("read a null as an empty list if the service counts none", async () => {
    const { client } = clientOver(() => answer(null, { total_count: 0 }));
    expect(await idsOf(client.pages(LIST))).toEqual([]);
  });

  it.each([
    ["an object without an id", [{ hostname: "a" }], 'the field "id" must be a string'],
    ["something that is not an object", ["a"], "must be an object"],
    ["no list", { id: "a" }, "is no list"],
  ])("with %s are an error", async (_case, result, message) => {
    const { client } = clientOver(() => answer(result));
    await expect(idsOf(client.pages(LIST))).rejects.toThrow(message);
  });

  it.each([
    ["an id that leads elsewhere", "../../../zones/x"],
    ["an id with control characters", "a\u001b[2J"],
    ["an id that is too long", "a".repeat(65)],
    ["an empty id", ""],
  ])("with %s are an error", async (_case, id) => {
    const { client } = clientOver(() => answer([{ id }]));
    await expect(idsOf(client.pages(LIST))).rejects.toThrow('the field "id" must be an id');
  });

  it.each(["zone_id", "zone_tag"])("with an object of another zone are an error: %s", async (field) => {
    const { client } = clientOver(() =>
      answer([
        { id: "a", [field]: "z" },
        { id: "b", [field]: "y" },
      ]),
    );
    const failure = await failureOf(idsOf(client.pages(LIST)));
    expect(failure).toMatchObject({ reason: "broken-list", message: expect.stringContaining("of another zone: b") });
  });

  it("accept an object whose zone is null", async () => {
    const { client } = clientOver(() => answer([{ id: "a", zone_id: null }]));
    expect(await idsOf(client.pages(LIST))).toEqual(["a"]);
  });

  it("do not read an answer without a body as an empty list", async () => {
    const { client, sent } = clientOver(() => ({ status: 204, headers: {}, body: "" }));
    expect(await failureOf(idsOf(client.pages(LIST)))).toMatchObject({ reason: "unusable" });
    expect(sent).toHaveLength(5);
  });

  it("stop when the reader stops", async () => {
    const { client, sent } = clientOver((request) => pageOf(named(50), request));
    for await (const item of client.pages(LIST)) if (item["id"] === "h6") break;
    expect(sent).toHaveLength(2);
  });
});

describe("the page size", () => {
  const upTo = (limit: number) => (request: HttpRequest) =>
    Number(parameter(request, "per_page")) > limit ? refusal(400, 1400) : pageOf(named(120), request);
  const list: PagedRequest = { ...LIST, pageSizes: [1000, 50] };

  it("is the largest one that the service accepts", async () => {
    const { client, sent } = clientOver(upTo(1000));
    await idsOf(client.pages(list));
    expect(sent).toHaveLength(1);
  });

  it("falls back once, and is remembered for the next list of the family", async () => {
    const { client, sent } = clientOver(upTo(50));
    expect(await idsOf(client.pages(list))).toHaveLength(120);
    await idsOf(client.pages(list));
    expect(sent.map((request) => parameter(request, "per_page"))).toEqual(["1000", "50", "50", "50", "50", "50", "50"]);
  });

  it("is not to blame if the smallest one is refused too", async () => {
    const { client, sent } = clientOver(() => refusal(400, 9106));
    expect(await failureOf(idsOf(client.pages(list)))).toMatchObject({ name: "ApiError", status: 400 });
    expect(sent).toHaveLength(2);
  });

  it("does not change after a refusal with another status", async () => {
    const { client, sent } = clientOver(() => refusal(403, 9109));
    await failureOf(idsOf(client.pages(list)));
    expect(sent).toHaveLength(1);
  });
});

describe("pages by cursor", () => {
  const list: PagedRequest = { path: "/zones/z/rulesets", family: "rulesets", pageSizes: [50], style: "cursor" };

  it("are followed to the one without a cursor, each object once", async () => {
    const pages: Record<string, [string[], string]> = {
      "": [["a", "b"], "2"],
      "2": [["b", "c"], "3"],
      "3": [["d"], ""],
    };
    const { client, sent } = clientOver((request) => {
      const [ids, after] = pages[parameter(request, "cursor")] ?? [[], ""];
      return answer(
        ids.map((id) => ({ id })),
        { cursors: { after } },
      );
    });
    expect(await idsOf(client.pages(list))).toEqual(["a", "b", "c", "d"]);
    expect(sent).toHaveLength(3);
  });

  it("that go in a circle end with an error", async () => {
    const { client, sent } = clientOver(() => answer([{ id: "a" }], { cursors: { after: "again" } }));
    expect(await failureOf(idsOf(client.pages(list)))).toMatchObject({
      reason: "broken-list",
      message: expect.stringContaining("same cursor"),
    });
    expect(sent).toHaveLength(2);
  });
});

describe("a list without an end", () => {
  const list: PagedRequest = { ...LIST, pageSizes: [1000] };
  const objects = (page: number): { id: string }[] =>
    Array.from({ length: 1000 }, (_, index) => ({ id: `h${page * 1000 + index}` }));

  /** How a hostile list ends, and after how many requests. */
  async function end(info: (page: number) => JsonObject, of: PagedRequest = list): Promise<readonly [unknown, number]> {
    const { client, sent } = clientOver((_request, index) => answer(objects(index), info(index + 1)));
    const failure = await failureOf(idsOf(client.pages(of)));
    return [failure, sent.length];
  }

  it("ends at a hundred thousand objects if it does not say how long it is", async () => {
    const [failure, requests] = await end(() => ({}));
    expect(failure).toMatchObject({ reason: "broken-list", message: expect.stringContaining("100000 objects") });
    expect(requests).toBe(101);
  });

  it("ends at once if it claims to be longer than any list", async () => {
    const [failure, requests] = await end(() => ({ total_count: 1e12, total_pages: 1e9 }));
    expect(failure).toMatchObject({ reason: "broken-list", message: expect.stringContaining("2000000 objects") });
    expect(requests).toBe(1);
  });

  it("ends soon if it grows with each page", async () => {
    const [failure, requests] = await end((page) => ({ total_count: (page + 1) * 1000, total_pages: page + 1 }));
    expect(failure).toMatchObject({ reason: "broken-list", message: expect.stringContaining("grows") });
    expect(requests).toBeLessThan(60);
  });

  it("ends if each page has a new cursor", async () => {
    const cursors: PagedRequest = { ...list, style: "cursor" };
    const [failure, requests] = await end((page) => ({ cursors: { after: `${page}` } }), cursors);
    expect(failure).toMatchObject({ reason: "broken-list", message: expect.stringContaining("100000 objects") });
    expect(requests).toBe(101);
  });

  it("ends after a few pages if each has a new cursor and no objects", async () => {
    const { client, sent } = clientOver((_request, index) => answer([], { cursors: { after: `${index}` } }));
    const failure = await failureOf(idsOf(client.pages({ ...list, style: "cursor" })));
    expect(failure).toMatchObject({ reason: "broken-list" });
    expect(sent).toHaveLength(3);
  });

  it("ends by its size if its objects are too large for the memory", async () => {
    const large = { id: "a", note: "x".repeat(32 * 1024 * 1024) };
    const { client, sent } = clientOver((_request, index) =>
      answer([{ ...large, id: `h${index}` }], { total_count: 2000, total_pages: 2000 }),
    );
    const failure = await failureOf(idsOf(client.pages({ ...list, pageSizes: [5] })));
    expect(failure).toMatchObject({ reason: "broken-list", message: expect.stringContaining("512 MiB") });
    expect(sent).toHaveLength(16);
  });
});
