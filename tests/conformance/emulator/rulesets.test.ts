import { describe, expect, it } from "vitest";
import { at, code, text, world, type Answer, type Json } from "../../support/emulator.ts";

const MANAGED = "efb7b8c949ac4650a09736fc376e9aee";
const OWASP = "4814384a9e5d4991b9815dcfc25d2f1f";
const THRESHOLD = { id: "6179ae15870a4bb7b2d480d4843b323c", action: "block", score_threshold: 25 };
const [FIRST, SECOND] = ["23ee7cebe6e8443e99ecf932ab579455", "5de7edfa648c4d6891dc3e7f84534ffa"];
const ENTRY = "/rulesets/phases/http_request_firewall_managed/entrypoint";
const CUSTOM_ENTRY = "/rulesets/phases/http_request_firewall_custom/entrypoint";

function execute(ref: string): { [key: string]: Json } {
  return { ref, action: "execute", expression: "true", action_parameters: { id: MANAGED } };
}

function block(ref: string, expression = "ip.src eq 192.0.2.1"): { [key: string]: Json } {
  return { ref, action: "block", expression };
}

function column(answer: Answer, name: string): unknown[] {
  const rules = at(answer, "result.rules");
  return Array.isArray(rules) ? rules.map((rule) => at(rule, name)) : [];
}

describe("an entry point", () => {
  it("is 404/10003 in an untouched phase, and is created by PUT", () => {
    const { zone } = world();
    const absent = zone("GET", ENTRY);
    expect([absent.status, code(absent)]).toEqual([404, 10003]);
    expect(at(zone("GET", `${ENTRY}/versions`), "result")).toEqual([]);
    expect(at(zone("PUT", ENTRY, { rules: [execute("a")] }), "result.version")).toBe("1");
    expect(at(zone("PUT", ENTRY, { rules: [execute("a")] }), "result.version")).toBe("2");
    expect(at(zone("GET", `${ENTRY}/versions/1`), "result.version")).toBe("1");
  });

  it("exists once per phase: POST of a second one is refused with 20217", () => {
    const { zone } = world();
    const body = { name: "x", kind: "zone", phase: "http_ratelimit", rules: [] };
    expect(zone("POST", "/rulesets", body).status).toBe(200);
    const second = zone("POST", "/rulesets", body);
    expect([second.status, code(second), at(second, "errors.0.source.pointer")]).toEqual([400, 20217, "/kind"]);
  });

  it("keeps the ids of rules that keep their ref, and raises only changed versions", () => {
    const { zone } = world();
    const first = zone("PUT", CUSTOM_ENTRY, { rules: [block("one"), block("two")] });
    const second = zone("PUT", CUSTOM_ENTRY, { rules: [block("one"), block("three"), block("two", "true")] });
    const [one, two] = column(first, "id");
    expect(column(second, "id")).toEqual([one, column(second, "id")[1], two]);
    expect(column(second, "version")).toEqual(["1", "1", "2"]);
  });

  it("creates every rule again that has neither ref nor id", () => {
    const { zone } = world();
    const rule = { action: "block", expression: "true" };
    const first = zone("PUT", CUSTOM_ENTRY, { rules: [rule] });
    const second = zone("PUT", CUSTOM_ENTRY, { rules: [rule] });
    expect(column(second, "id")).not.toEqual(column(first, "id"));
    expect(column(first, "ref")).toEqual(column(first, "id"));
  });

  it("treats an empty id, version and ref as absent", () => {
    const { zone } = world();
    const answer = zone("PUT", ENTRY, { name: "default", rules: [{ ...execute(""), id: "", version: "" }] });
    expect(text(answer, "result.rules.0.id")).toMatch(/^[0-9a-f]{32}$/);
    expect(at(answer, "result.rules.0.ref")).toBe(at(answer, "result.rules.0.id"));
    expect(at(answer, "result.rules.0.version")).toBe("1");
  });

  it("gets the defaults of the service", () => {
    const { zone } = world();
    const skip = { ref: "s", action: "skip", expression: "true", action_parameters: { ruleset: "current" } };
    const answer = zone("PUT", ENTRY, { rules: [skip, execute("e")] });
    expect(at(answer, "result.rules.0.logging")).toEqual({ enabled: true });
    expect(at(answer, "result.rules.1.action_parameters.version")).toBe("latest");
    expect(column(answer, "enabled")).toEqual([true, true]);
    expect(column(answer, "description")).toEqual(["", ""]);
  });

  it("is checked in a dry run, but not saved", () => {
    const { zone } = world();
    expect(zone("PUT", `${ENTRY}?dry_run=true`, { rules: [execute("a")] }).body).toMatchObject({
      result: null,
      success: true,
    });
    expect(code(zone("GET", ENTRY))).toBe(10003);
    expect(zone("PUT", `${ENTRY}?dry_run=true`, { rules: [block("a")] }).status).toBe(400);
    expect(zone("PUT", `${ENTRY}?dry_run=true`, { description: 1 }).status).toBe(400);
  });

  it("keeps its rules when only a description is sent", () => {
    const { zone } = world();
    zone("PUT", ENTRY, { rules: [execute("a")] });
    const answer = zone("PUT", ENTRY, { description: "hers" });
    expect([at(answer, "result.description"), column(answer, "ref")]).toEqual(["hers", ["a"]]);
  });
});

describe("what the Rulesets API refuses", () => {
  it("an action other than execute and skip in the managed phase, with a pointer", () => {
    const answer = world().zone("PUT", ENTRY, { rules: [block("a")] });
    expect([answer.status, at(answer, "errors.0.source.pointer")]).toEqual([400, "/rules/0/action"]);
    expect(text(answer, "errors.0.message")).toContain("'block' is not a valid value for action because");
  });

  it("managed rules on a free zone", () => {
    expect(code(world({ plan: "free" }).zone("PUT", ENTRY, { rules: [execute("a")] }))).toBe(50002);
    expect(
      world({ plan: "pro", waf: { migration: "complete" } }).zone("PUT", ENTRY, { rules: [execute("a")] }).status,
    ).toBe(200);
  });

  it("one rule more than the plan allows", () => {
    const { zone } = world({ plan: "free" });
    const rules = (count: number): Json => ({ rules: Array.from({ length: count }, (_, n) => block(`r${n}`)) });
    expect(zone("PUT", CUSTOM_ENTRY, rules(6)).status).toBe(400);
    expect(zone("PUT", CUSTOM_ENTRY, rules(5)).status).toBe(200);
  });

  it.each([
    ["two rules of one ref", { rules: [block("a"), block("a")] }],
    ["an id where nothing is executed", { rules: [{ ...block("a"), action_parameters: { id: MANAGED } }] }],
    ["a rule without an expression", { rules: [{ ref: "a", action: "block" }] }],
    ["an unknown action", { rules: [{ ...block("a"), action: "explode" }] }],
  ])("%s", (_what, body) => {
    expect(world().zone("PUT", CUSTOM_ENTRY, body as Json).status).toBe(400);
  });

  it("an unknown ruleset to execute, and empty overrides", () => {
    const { zone } = world();
    const put = (parameters: Json): number =>
      zone("PUT", ENTRY, { rules: [{ ...execute("a"), action_parameters: parameters }] }).status;
    expect(put({ id: "0".repeat(32) })).toBe(400);
    expect(put({ id: MANAGED, overrides: {} })).toBe(400);
    expect(put({ id: MANAGED, overrides: { rules: [] } })).toBe(400);
    expect(put({ id: MANAGED, overrides: { rules: [{ id: FIRST, action: "log" }] } })).toBe(200);
  });

  it("an override that names no rule, or changes nothing, with its position", () => {
    const refused = (override: Json): unknown => {
      const parameters = { id: MANAGED, overrides: { rules: [{ id: FIRST, action: "log" }, override] } };
      return at(
        world().zone("PUT", ENTRY, { rules: [{ ...execute("a"), action_parameters: parameters }] }),
        "errors.0.source.pointer",
      );
    };
    const place = "/rules/0/action_parameters/overrides/rules/1";
    expect(refused({ action: "log", enabled: false })).toBe(`${place}/id`);
    expect(refused({ id: SECOND })).toBe(place);
  });
});

describe("overrides of single rules", () => {
  it("are kept and shown as they were sent: the rule, its action, and whether it is on", () => {
    const { zone } = world();
    const log = { rules: [{ id: FIRST, action: "log", enabled: false }] };
    const threshold = { rules: [THRESHOLD] };
    const rules = [
      { ...execute("a"), action_parameters: { id: MANAGED, overrides: log } },
      { ...execute("b"), action_parameters: { id: OWASP, overrides: threshold } },
    ];
    zone("PUT", ENTRY, { rules });
    const kept = column(zone("GET", ENTRY), "action_parameters.overrides");
    expect(kept).toEqual([log, threshold]);
  });
});

describe("a call for one rule", () => {
  function three(): { zone: ReturnType<typeof world>["zone"]; base: string; ids: string[] } {
    const { zone } = world();
    const made = zone("PUT", CUSTOM_ENTRY, { rules: [block("a"), block("b"), block("c")] });
    const base = `/rulesets/${text(made, "result.id")}/rules`;
    return { zone, base, ids: column(made, "id").map(String) };
  }

  it("adds at the end, or at a position", () => {
    const { zone, base, ids } = three();
    expect(column(zone("POST", base, block("d")), "ref")).toEqual(["a", "b", "c", "d"]);
    const second = zone("POST", base, { ...block("e"), position: { index: 2 } });
    expect(column(second, "ref")).toEqual(["a", "e", "b", "c", "d"]);
    const before = zone("POST", base, { ...block("f"), position: { before: ids[0] ?? "" } });
    expect(column(before, "ref")).toEqual(["f", "a", "e", "b", "c", "d"]);
  });

  it("moves without a new version, and edits with one", () => {
    const { zone, base, ids } = three();
    const moved = zone("PATCH", `${base}/${ids[2] ?? ""}`, { position: { before: "" } });
    expect([column(moved, "ref"), column(moved, "version")]).toEqual([
      ["c", "a", "b"],
      ["1", "1", "1"],
    ]);
    const edited = zone("PATCH", `${base}/${ids[0] ?? ""}`, block("a", "false"));
    expect(column(edited, "version")).toEqual(["1", "2", "1"]);
    expect(zone("PATCH", `${base}/${ids[0] ?? ""}`, { expression: "true" }).status).toBe(400);
  });

  it("removes only once", () => {
    const { zone, base, ids } = three();
    expect(column(zone("DELETE", `${base}/${ids[1] ?? ""}`), "ref")).toEqual(["a", "c"]);
    expect(zone("DELETE", `${base}/${ids[1] ?? ""}`).status).toBe(404);
  });
});

describe("rulesets", () => {
  it("are listed with the managed ones, without rules, by cursor", () => {
    const { zone } = world();
    zone("PUT", ENTRY, { rules: [execute("a")] });
    const result = at(zone("GET", "/rulesets"), "result");
    const list = Array.isArray(result) ? result : [];
    expect(list.map((entry) => at(entry, "id"))).toContain(MANAGED);
    expect(list.filter((entry) => at(entry, "kind") === "zone")).toHaveLength(1);
    expect(list.some((entry) => at(entry, "rules") !== undefined)).toBe(false);
    const page = zone("GET", "/rulesets?per_page=5");
    const rest = zone("GET", `/rulesets?per_page=5&cursor=${text(page, "result_info.cursors.after")}`);
    expect([at(page, "result"), at(rest, "result")].flat()).toEqual(list);
    expect(at(rest, "result_info.cursors")).toBeUndefined();
    for (const cursor of ["zzz", "-1", "1.5"]) expect(zone("GET", `/rulesets?cursor=${cursor}`).status).toBe(400);
  });

  it("are deleted with 204 and no body, unless a rule executes them", () => {
    const { zone } = world();
    const custom = zone("POST", "/rulesets", { name: "mine", kind: "custom", phase: "http_request_firewall_custom" });
    const id = text(custom, "result.id");
    const user = { ...execute("a"), action_parameters: { id } };
    const entry = text(zone("PUT", CUSTOM_ENTRY, { rules: [user] }), "result.id");
    expect(zone("DELETE", `/rulesets/${id}`).status).toBe(400);
    expect(zone("DELETE", `/rulesets/${entry}`).raw).toMatchObject({ status: 204, body: "" });
    expect(zone("DELETE", `/rulesets/${id}`).status).toBe(204);
    expect(zone("PUT", `/rulesets/${MANAGED}`, { rules: [] }).status).toBe(400);
  });

  it("never change name, kind or phase", () => {
    const { zone } = world();
    const id = text(zone("PUT", CUSTOM_ENTRY, { rules: [] }), "result.id");
    expect(zone("PUT", `/rulesets/${id}`, { name: "other" }).status).toBe(400);
    expect(zone("PUT", `/rulesets/${id}`, { phase: "http_ratelimit" }).status).toBe(400);
  });
});
