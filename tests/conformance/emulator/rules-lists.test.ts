import { describe, expect, it } from "vitest";
import { at, code, type Json, text, world } from "../../support/emulator.ts";

type Answers = ReturnType<typeof world>["zone"];

const LISTS = "/rules/lists";

/** A service with a list of its account, and a client below the account. */
function listWorld(kind = "ip"): ReturnType<typeof world> & { readonly account: Answers; readonly list: string } {
  const made = world();
  const [id = ""] = made.service.core.store.accounts.keys();
  const account: Answers = (method, path, body) => made.call(method, `/accounts/${id}${path}`, body);
  const list = `${LISTS}/${text(account("POST", LISTS, { name: "office", kind, description: "ours" }), "result.id")}`;
  return { ...made, account, list };
}

/** The values of the items. */
function values(account: Answers, list: string, kind = "ip", query = ""): unknown[] {
  const result = at(account("GET", `${list}/items${query}`), "result");
  return Array.isArray(result) ? result.map((item) => at(item, kind)) : [];
}

describe("a list of the account", () => {
  it("is created, read, described and deleted", () => {
    const { account, list } = listWorld();
    const shown = { name: "office", kind: "ip", description: "ours", num_items: 0, num_referencing_filters: 0 };
    expect(at(account("GET", list), "result")).toMatchObject(shown);
    expect(at(account("PUT", list, { description: "theirs" }), "result.description")).toBe("theirs");
    expect(at(account("GET", LISTS), "result.0.description")).toBe("theirs");
    expect(account("PUT", list, { name: "other" }).status).toBe(400);
    expect(account("POST", LISTS, { name: "office", kind: "asn" }).status).toBe(400);
    expect(account("POST", LISTS, { name: "of-fice", kind: "ip" }).status).toBe(400);
    expect(account("POST", LISTS, { name: "b", kind: "country" }).status).toBe(400);
    expect(at(account("DELETE", list), "result.id")).toBe(list.slice(LISTS.length + 1));
    expect(account("GET", list).status).toBe(404);
  });

  it("changes its items by operations: pending first, then completed, and one at a time", () => {
    const { account, list, wait } = listWorld();
    const begun = account("POST", `${list}/items`, [{ ip: "192.0.2.1", comment: "door" }, { ip: "192.0.2.0/30" }]);
    const operation = `${LISTS}/bulk_operations/${text(begun, "result.operation_id")}`;
    expect(at(account("GET", operation), "result.status")).toBe("pending");
    expect(values(account, list)).toEqual([]);
    expect(account("POST", `${list}/items`, [{ ip: "192.0.2.9" }]).status).toBe(400);
    wait(1);
    expect(at(account("GET", operation), "result")).toMatchObject({
      status: "completed",
      completed: expect.any(String),
    });
    expect(values(account, list)).toEqual(["192.0.2.0/30", "192.0.2.1"]);
    expect(at(account("GET", list), "result.num_items")).toBe(2);
    const id = text(account("GET", `${list}/items?search=192.0.2.1`), "result.0.id");
    expect(at(account("GET", `${list}/items/${id}`), "result")).toMatchObject({ ip: "192.0.2.1", comment: "door" });
    account("POST", `${list}/items`, [{ ip: "192.0.2.1", comment: "gate" }]);
    wait(1);
    expect(at(account("GET", `${list}/items/${id}`), "result.comment")).toBe("gate");
    account("DELETE", `${list}/items`, { items: [{ id }] });
    wait(1);
    expect(values(account, list)).toEqual(["192.0.2.0/30"]);
    account("PUT", `${list}/items`, [{ ip: "2001:db8::/32" }]);
    wait(1);
    expect(values(account, list)).toEqual(["2001:db8::/32"]);
  });

  it("is read page by page", () => {
    const { account, list, wait } = listWorld("asn");
    account(
      "POST",
      `${list}/items`,
      [3, 1, 2].map((asn) => ({ asn })),
    );
    wait(1);
    const first = account("GET", `${list}/items?per_page=2`);
    const after = text(first, "result_info.cursors.after");
    expect(values(account, list, "asn", `?per_page=2&cursor=${after}`)).toEqual([3]);
  });

  it.each<[string, Json]>([
    ["ip", { ip: "192.0.2.300" }],
    ["ip", { ip: "10.0.0.0/1" }],
    ["ip", { asn: 1 }],
    ["asn", { asn: -1 }],
    ["hostname", { hostname: "a.net" }],
    ["redirect", { redirect: { source_url: "a.net" } }],
    ["redirect", { redirect: { source_url: "a.net", target_url: "https://b.net", status_code: 200 } }],
  ])("of kind %s refuses the item %j", (kind, item) => {
    const { account, list } = listWorld(kind);
    expect(account("POST", `${list}/items`, [item]).status).toBe(400);
  });

  it("is known to expressions by its name, and is not deleted while a rule names it", () => {
    const { account, list, zone } = listWorld();
    const entry = "/rulesets/phases/http_request_firewall_custom/entrypoint";
    const rule = (name: string): Json => ({ rules: [{ action: "block", expression: `ip.src in $${name}` }] });
    expect(zone("PUT", entry, rule("nobody")).status).toBe(400);
    expect(zone("PUT", entry, rule("office")).status).toBe(200);
    expect(at(account("GET", list), "result.num_referencing_filters")).toBe(1);
    expect(account("DELETE", list).status).toBe(400);
    zone("PUT", entry, { rules: [] });
    expect(account("DELETE", list).status).toBe(200);
  });

  it("survives a snapshot, with an operation that is not complete", () => {
    const { account, list, admin } = listWorld();
    account("POST", `${list}/items`, [{ ip: "192.0.2.1" }]);
    const snapshot: ReturnType<typeof admin.snapshot> = JSON.parse(JSON.stringify(admin.snapshot()));
    const again = world({}, { snapshot });
    const [id = ""] = again.service.core.store.accounts.keys();
    again.wait(1);
    expect(at(again.call("GET", `/accounts/${id}${list}/items`), "result.0.ip")).toBe("192.0.2.1");
    expect(code(again.call("GET", `/accounts/${"0".repeat(32)}${list}`))).toBe(9109);
  });
});
