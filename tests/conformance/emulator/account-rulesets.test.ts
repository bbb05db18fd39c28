import { describe, expect, it } from "vitest";
import { at, code, type Json, text, world } from "../../support/emulator.ts";

const CUSTOM = "http_request_firewall_custom";
const ENTRY = `/rulesets/phases/${CUSTOM}/entrypoint`;
const BLOCK = { ref: "a", action: "block", expression: "ip.src eq 192.0.2.1" };

type Answers = ReturnType<typeof world>["zone"];

/** A service, with a client below its account. */
function accountWorld(): ReturnType<typeof world> & { readonly account: Answers } {
  const made = world();
  const [id = ""] = made.service.core.store.accounts.keys();
  return { ...made, account: (method, path, body) => made.call(method, `/accounts/${id}${path}`, body) };
}

function execute(id: string): Json {
  return { rules: [{ action: "execute", expression: "true", action_parameters: { id } }] };
}

describe("rulesets of an account", () => {
  it("have entry points of kind root, with rules that are added, edited and deleted one by one", () => {
    const { account } = accountWorld();
    expect(code(account("GET", ENTRY))).toBe(10003);
    const made = account("PUT", ENTRY, { rules: [BLOCK] });
    expect([at(made, "result.kind"), at(made, "result.version")]).toEqual(["root", "1"]);
    const base = `/rulesets/${text(made, "result.id")}/rules`;
    expect(at(account("POST", base, { ...BLOCK, ref: "b" }), "result.rules.1.ref")).toBe("b");
    const rule = `${base}/${text(made, "result.rules.0.id")}`;
    expect(at(account("PATCH", rule, { ...BLOCK, enabled: false }), "result.rules.0.enabled")).toBe(false);
    expect(at(account("DELETE", rule), "result.rules.0.ref")).toBe("b");
    expect(at(account("GET", `${ENTRY}/versions/1`), "result.rules.0.ref")).toBe("a");
  });

  it("are of kind root or custom, and there is one entry point for each phase", () => {
    const { account, zone } = accountWorld();
    const body = (kind: string): Json => ({ name: "mine", kind, phase: CUSTOM, rules: [] });
    expect(account("POST", "/rulesets", body("zone")).status).toBe(400);
    expect(account("POST", "/rulesets", body("root")).status).toBe(200);
    expect(code(account("POST", "/rulesets", body("root")))).toBe(20217);
    expect(zone("POST", "/rulesets", body("root")).status).toBe(400);
  });

  it("of kind custom are read and executed from its zones, and changed only below the account", () => {
    const { account, zone } = accountWorld();
    const id = text(
      account("POST", "/rulesets", { name: "shared", kind: "custom", phase: CUSTOM, rules: [BLOCK] }),
      "result.id",
    );
    expect(at(zone("GET", `/rulesets/${id}`), "result.rules.0.ref")).toBe("a");
    expect(zone("PUT", ENTRY, execute(id)).status).toBe(200);
    expect(zone("PUT", `/rulesets/${id}`, { rules: [] }).status).toBe(400);
    expect(account("PUT", `/rulesets/${id}`, { rules: [] }).status).toBe(200);
    expect(account("DELETE", `/rulesets/${id}`).status).toBe(400);
    expect(zone("PUT", ENTRY, { rules: [] }).status).toBe(200);
    expect(account("DELETE", `/rulesets/${id}`).status).toBe(204);
  });

  it("of a zone are not the account's", () => {
    const { account, zone } = accountWorld();
    const id = text(zone("PUT", ENTRY, { rules: [BLOCK] }), "result.id");
    expect(account("GET", `/rulesets/${id}`).status).toBe(404);
  });

  it("need the account of the token, and its permissions", () => {
    const { call } = accountWorld();
    expect(code(call("GET", `/accounts/${"0".repeat(32)}/rulesets`))).toBe(9109);
  });

  it("survive a snapshot", () => {
    const { account, admin } = accountWorld();
    account("PUT", ENTRY, { rules: [BLOCK] });
    const snapshot: ReturnType<typeof admin.snapshot> = JSON.parse(JSON.stringify(admin.snapshot()));
    const again = world({}, { snapshot });
    const [id = ""] = again.service.core.store.accounts.keys();
    expect(at(again.call("GET", `/accounts/${id}${ENTRY}`), "result.rules.0.ref")).toBe("a");
  });
});
