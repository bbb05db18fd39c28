import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../lib/core/diagnostic.ts";
import type { BehaviourName, SeedZone } from "../../../lib/emulator.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import { planText } from "../../../lib/report/plan.ts";
import { changesOf, dnsRecords, failuresOf, FALLBACK, openRig, type Rig, ZONE } from "../../support/engine.ts";

const UNBROKEN = { colour: false, columns: 10_000 };

interface Given {
  readonly behaviour?: BehaviourName;
  readonly zone?: Partial<SeedZone>;
  readonly file: object;
}

/** A service as published by default: only there does a subscription decide about hostnames. */
function rigOf({ behaviour = "public", zone, file }: Given): Rig {
  return openRig({
    behaviour,
    zone: { dns_records: dnsRecords(), fallback_origin: FALLBACK, ...zone },
    files: { "zones/saas.yaml": { version: 1, zone: ZONE, ...file } },
  });
}

function hostnames(names: readonly string[], set: object): object {
  return {
    custom_hostnames: {
      lifecycle: "zoneform",
      entries: names.map((hostname) => ({ hostname })),
      policies: [{ name: "all", set }],
    },
  };
}

function found(plan: Plan, code: string): readonly Diagnostic[] {
  return plan.zones.flatMap(({ findings }) => findings).filter((each) => each.code === code);
}

const GOOGLE = { ssl: { type: "dv", method: "http", certificate_authority: "google" } };

describe("what the zone's subscription does not allow", () => {
  it("is reported for a chosen CA before the call, once for all hostnames", async () => {
    const names = Array.from({ length: 25 }, (_each, index) => `h${index}.one.net`);
    const rig = rigOf({ zone: { plan: "pro" }, file: hostnames(names, GOOGLE) });
    const plan = await rig.plan();
    const [finding, ...others] = found(plan, "subscription-too-small");
    expect(others).toEqual([]);
    expect(finding?.message).toMatch(
      /^saas\.net is a Pro zone, and choosing a certificate authority needs Enterprise: .* and 5 more$/,
    );
    expect(finding?.remedy).toContain("certificate_authority: default");
    expect(finding?.remedy).toContain("1459");
    expect(planText(plan, UNBROKEN)).toContain("[subscription-too-small]");
  });

  it.each([
    ["a wildcard", { ssl: { type: "dv", method: "txt", wildcard: true } }, "1448"],
    ["custom metadata", { ssl: { type: "dv", method: "http" }, custom_metadata: { tier: "gold" } }, "1413"],
    ["a chosen CA", GOOGLE, "1459"],
  ])("is what the service then refuses: %s", async (_what, set, code) => {
    const rig = rigOf({ zone: { plan: "business" }, file: hostnames(["a.one.net"], set) });
    const plan = await rig.plan();
    expect(found(plan, "subscription-too-small").map(({ remedy }) => remedy)).toEqual([expect.stringContaining(code)]);
    expect(failuresOf(await rig.apply(plan)).join(" ")).toContain(code);
    const enterprise = rigOf({ zone: { plan: "enterprise" }, file: hostnames(["a.one.net"], set) });
    expect(found(await enterprise.plan(), "subscription-too-small")).toEqual([]);
    expect(failuresOf(await enterprise.run())).toEqual([]);
  });

  it("is not reported for the service's own choice, for what exists, and for what is not written", async () => {
    const ours = { ssl: { type: "dv", method: "http", certificate_authority: "default" } };
    expect(
      found(
        await rigOf({ zone: { plan: "free" }, file: hostnames(["a.one.net"], ours) }).plan(),
        "subscription-too-small",
      ),
    ).toEqual([]);
    const rig = rigOf({ behaviour: "described", zone: { plan: "pro" }, file: hostnames(["a.one.net"], GOOGLE) });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(found(await rig.plan(), "subscription-too-small")).toEqual([]);
  });

  it.each(["described", "public"] as const)("blocks the WAF step validation on a Pro zone, %s", async (behaviour) => {
    const file = { waf_migration: { target: "validation" } };
    const rig = rigOf({ behaviour, zone: { plan: "pro", waf: { migration: "start" } }, file });
    const plan = await rig.plan();
    const [change] = changesOf(plan);
    expect(change?.refused).toMatchObject({ code: "subscription-too-small" });
    expect(change?.refused?.message).toContain("needs Enterprise, and this is a Pro zone");
    expect(change?.refused?.remedy).toContain("waf_migration.target: new");
    rig.service.core.log.reset();
    await rig.apply(plan);
    expect(rig.service.core.log.entries().filter(({ method }) => method !== "GET")).toEqual([]);
    const enterprise = rigOf({ behaviour, zone: { plan: "enterprise", waf: { migration: "start" } }, file });
    expect(changesOf(await enterprise.plan())[0]?.refused).toBeUndefined();
  });

  it("is reported for managed rulesets on a Free zone, which the service refuses", async () => {
    const rules = [
      { ref: "owasp", action: "execute", expression: "true", action_parameters: { id: "cloudflare_owasp_core" } },
    ];
    const rig = rigOf({ zone: { plan: "free" }, file: { entry_points: { http_request_firewall_managed: { rules } } } });
    const plan = await rig.plan();
    expect(found(plan, "subscription-too-small").map(({ message }) => message)).toEqual([
      expect.stringContaining("the managed ruleset cloudflare_owasp_core needs Pro"),
    ]);
    expect(failuresOf(await rig.apply(plan)).join(" ")).toContain("50002");
  });

  it("is reported for more custom rules than the subscription allows, which the service refuses", async () => {
    const rules = Array.from({ length: 6 }, (_each, index) => ({
      ref: `r${index}`,
      action: "block",
      expression: `ip.src eq 192.0.2.${index}`,
    }));
    const rig = rigOf({ zone: { plan: "free" }, file: { entry_points: { http_request_firewall_custom: { rules } } } });
    const plan = await rig.plan();
    expect(found(plan, "subscription-too-small").map(({ message }) => message)).toEqual([
      expect.stringContaining("having 6 custom rules needs Pro"),
    ]);
    expect(failuresOf(await rig.apply(plan)).join(" ")).toContain("maximum number of rules");
  });

  it("includes foreign rules, which are written with ours", async () => {
    const blocking = (ref: string): { ref: string; action: string; expression: string } => ({
      ref,
      action: "block",
      expression: `http.host eq "${ref}.net"`,
    });
    const theirs = ["a", "b", "c", "d"].map(blocking);
    const rigWith = (count: number): ReturnType<typeof rigOf> =>
      rigOf({
        zone: { plan: "free", rulesets: [{ phase: "http_request_firewall_custom", rules: theirs }] },
        file: {
          entry_points: {
            http_request_firewall_custom: {
              adopt: true,
              own: ["me/"],
              rules: [blocking("me/1"), blocking("me/2")].slice(0, count),
            },
          },
        },
      });
    const rig = rigWith(2);
    const plan = await rig.plan();
    expect(found(plan, "subscription-too-small").map(({ message }) => message)).toEqual([
      expect.stringContaining("having 6 custom rules (4 of them foreign) needs Pro"),
    ]);
    expect(failuresOf(await rig.apply(plan)).join(" ")).toContain("maximum number of rules");
    const fits = rigWith(1);
    expect(found(await fits.plan(), "subscription-too-small")).toEqual([]);
    expect(failuresOf(await fits.run())).toEqual([]);
  });
});

describe("limits that only the service knows", () => {
  const RULES = [
    { ref: "managed", action: "execute", expression: "true", action_parameters: { id: "cloudflare_managed" } },
  ];
  const ENTRY_POINT = { entry_points: { http_request_firewall_managed: { rules: RULES } } };

  it("are reported for managed rules on a Pro zone that has not migrated, which the service refuses", async () => {
    const rig = rigOf({ zone: { plan: "pro", waf: { migration: "start" } }, file: ENTRY_POINT });
    const plan = await rig.plan();
    expect(found(plan, "rules-before-migration").map(({ message }) => message)).toEqual([
      expect.stringContaining("saas.net is a Pro zone that has not migrated"),
    ]);
    expect(failuresOf(await rig.apply(plan))).toHaveLength(1);
  });

  it.each([
    ["migrated", { plan: "pro", waf: { migration: "complete" } }, {}],
    ["Enterprise", { plan: "enterprise", waf: { migration: "start" } }, {}],
    [
      "told to migrate",
      { plan: "pro", waf: { migration: "start" } },
      { waf_migration: { target: "new", confirm_irreversible: ZONE.id } },
    ],
  ] as const)("do not concern a zone that is %s", async (_what, zone, more) => {
    const rig = rigOf({ zone, file: { ...ENTRY_POINT, ...more } });
    const plan = await rig.plan();
    expect(found(plan, "rules-before-migration")).toEqual([]);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
  });

  it.each([
    [{ certificate_packs: 1 }, "has 0 of the 1", "1405"],
    [{ certificate_manager: false }, "has 0 of the 0", "1450"],
  ])("are reported for packs beyond the quota: %j", async (grants, said, code) => {
    const packs = ["a", "b"].map((name) => ({
      hosts: ["saas.net", `${name}.saas.net`],
      validation_method: "txt",
      validity_days: 90,
      certificate_authority: "google",
    }));
    const rig = rigOf({ zone: { grants }, file: { certificate_packs: packs } });
    const plan = await rig.plan();
    const [finding] = found(plan, "pack-quota");
    expect(finding?.message).toContain(said);
    expect(finding?.remedy).toContain(code);
    expect(failuresOf(await rig.apply(plan)).join(" ")).toContain(code);
    const enough = rigOf({ file: { certificate_packs: packs } });
    expect(found(await enough.plan(), "pack-quota")).toEqual([]);
  });
});

describe("the subscription", () => {
  const readsOf = (rig: Rig): readonly string[] =>
    rig.service.core.log
      .entries()
      .map(({ pattern }) => pattern)
      .filter((each) => each === "/zones/:zone" || each.endsWith("/subscription"));

  it("costs no extra call if the zone shows it", async () => {
    const rig = rigOf({ zone: { plan: "pro" }, file: hostnames(["a.one.net"], GOOGLE) });
    await rig.plan();
    expect(readsOf(rig)).toEqual(["/zones/:zone"]);
  });

  it("is asked for once if the zone does not show it, and only if something depends on it", async () => {
    const zone = { plan: "pro", hides_plan: true } as const;
    const rig = rigOf({ zone, file: hostnames(["a.one.net"], GOOGLE) });
    expect(found(await rig.plan(), "subscription-too-small")).toHaveLength(1);
    expect(readsOf(rig)).toEqual(["/zones/:zone", "/zones/:zone/subscription"]);
    const without = rigOf({ zone, file: { fallback_origin: { origin: FALLBACK } } });
    await without.plan();
    expect(readsOf(without)).toEqual(["/zones/:zone"]);
  });
});

describe("a token that may not read the subscription", () => {
  const HOSTNAMES = ["SSL and Certificates Write"] as const;

  function withPermissions(rig: Rig, permissions: readonly string[]): Rig {
    Object.assign(rig.service.core.store.tokens.get("all") ?? {}, { permissions });
    return rig;
  }

  it("causes a finding with the missing permission, which says that it is unknown", async () => {
    const zone = { plan: "pro", hides_plan: true } as const;
    const rig = withPermissions(rigOf({ zone, file: hostnames(["a.one.net"], GOOGLE) }), ["Zone Read", ...HOSTNAMES]);
    const [finding] = found(await rig.plan(), "subscription-unknown");
    expect(finding?.message).toBe(
      "cannot tell whether the subscription of saas.net allows choosing a certificate authority (Enterprise: a.one.net): the token lacks Billing Read",
    );
    expect(finding?.remedy).toBe("give the token Billing Read for the zone");
  });

  it("still plans without Zone Read, and the plan says that the zone's name was not checked", async () => {
    const rig = withPermissions(rigOf({ zone: { plan: "pro" }, file: hostnames(["a.one.net"], GOOGLE) }), HOSTNAMES);
    const plan = await rig.plan();
    expect(found(plan, "zone-unread")).toHaveLength(1);
    expect(found(plan, "subscription-unknown")[0]?.message).toContain("the token lacks Zone Read");
    const plain = withPermissions(
      rigOf({ zone: { plan: "pro" }, file: hostnames(["a.one.net"], { ssl: { type: "dv", method: "http" } }) }),
      HOSTNAMES,
    );
    expect(found(await plain.plan(), "subscription-unknown")).toEqual([]);
    expect(failuresOf(await plain.run())).toEqual([]);
  });

  it("is refused with the zone's own error if it reaches nothing of the zone", async () => {
    const rig = withPermissions(rigOf({ file: hostnames(["a.one.net"], GOOGLE) }), ["Cache Purge"]);
    await expect(rig.plan()).rejects.toMatchObject({ cause: { family: "zones", status: 403 } });
    const nothing = withPermissions(rigOf({ file: {} }), ["Cache Purge"]);
    await expect(nothing.plan()).rejects.toMatchObject({ cause: { family: "zones", status: 403 } });
  });
});
