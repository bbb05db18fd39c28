import { describe, expect, it } from "vitest";
import type { SeedWaf } from "../../../lib/emulator.ts";
import type { HttpRequest } from "../../../lib/service/http.ts";
import { planText } from "../../../lib/report/plan.ts";
import { wafPreviewText } from "../../../lib/report/commands/waf.ts";
import { wafPreviews, wafStandings } from "../../../lib/engine/waf.ts";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { changesOf, failuresOf, openRig, type Rig, type RigOptions, ZONE } from "../../support/engine.ts";

const A_MINUTE = 60_000;
const A_DAY = 24 * 60 * A_MINUTE;
const UNBROKEN = { colour: false, columns: 1_000_000 };

function hostnames(ssl: object, entries: readonly string[], more: object = {}): object {
  const set = { ssl: { type: "dv", method: "http", ...ssl } };
  return {
    version: 1,
    zone: ZONE,
    custom_hostnames: {
      lifecycle: "zoneform",
      policies: [{ name: "all", set }],
      entries: entries.map((hostname) => ({ hostname })),
      ...more,
    },
  };
}

function rigOf(zoneFile: object, more: Partial<RigOptions> = {}): Rig {
  return openRig({ files: { "zones/saas.yaml": zoneFile }, ...more });
}

/** What one run of plan and apply sends. */
async function sentBy(rig: Rig): Promise<readonly HttpRequest[]> {
  const sent: HttpRequest[] = [];
  rig.network(async (request, _index, pass) => {
    sent.push(request);
    return pass();
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  return sent;
}

/** Method, path below the zone, and query. */
function inShort({ method, url }: HttpRequest): string {
  return `${method} ${url.slice(url.indexOf(ZONE.id) + ZONE.id.length)}`;
}

function live(rig: Rig, hostname: string): { [field: string]: unknown } | undefined {
  const path = `/zones/${ZONE.id}/custom_hostnames?hostname.exact=${hostname}`;
  return JSON.parse(rig.admin.dashboard("GET", path).body).result[0];
}

async function refusalsOf(rig: Rig): Promise<readonly string[]> {
  try {
    await rig.plan();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return thrown.diagnostics.map(({ code }) => code);
  }
}

describe("a long hostname", () => {
  const named = (length: number): string => `${"a".repeat(length - ".customer.net".length)}.customer.net`;

  it("of 64 characters is created without branding", async () => {
    expect(named(64).length).toBe(64);
    const rig = rigOf(hostnames({}, [named(64)]));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(live(rig, named(64))).toBeDefined();
  });

  it("of 65 characters is refused without branding before anything is sent, and created with it", async () => {
    const rig = rigOf(hostnames({}, [named(65)]));
    expect(await refusalsOf(rig)).toEqual(["hostname-needs-branding"]);
    expect(rig.service.core.log.total()).toBe(0);
    rig.write("zones/saas.yaml", hostnames({ cloudflare_branding: true }, [named(65)]));
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(A_DAY);
    expect(live(rig, named(65))).toMatchObject({ status: "active", ssl: { status: "active" } });
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});

describe("the choice of a CA", () => {
  const NAMES = ["a.one.net", "b.one.net", "c.two.net"];

  it("for all hostnames is one policy and one line of the plan, and each gets its certificate from that CA", async () => {
    const rig = rigOf(hostnames({ certificate_authority: "lets_encrypt" }, NAMES));
    await rig.run();
    await rig.wait(A_DAY);
    rig.write("zones/saas.yaml", hostnames({ certificate_authority: "google" }, NAMES));
    const plan = await rig.plan();
    expect(changesOf(plan)).toHaveLength(3);
    expect(planText(plan, UNBROKEN)).toMatch(
      /~ update 3 hostnames \(config\) .*\n +ssl\.certificate_authority +lets_encrypt -> google +policy "[^"]+"\n +a\.one\.net, b\.one\.net, c\.two\.net\n\n/,
    );
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    await rig.wait(A_DAY);
    for (const name of NAMES) expect(live(rig, name)).toMatchObject({ ssl: { certificate_authority: "google" } });
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("is sent as an edit with method, type and CA, and default is the empty text", async () => {
    const rig = rigOf(hostnames({ certificate_authority: "lets_encrypt" }, ["a.one.net"]));
    await rig.run();
    await rig.wait(A_DAY);
    rig.write("zones/saas.yaml", hostnames({ certificate_authority: "default" }, ["a.one.net"]));
    const edits = (await sentBy(rig)).filter(({ method }) => method === "PATCH");
    expect(edits.map(inShort)).toEqual([`PATCH /custom_hostnames/${String(live(rig, "a.one.net")?.["id"])}`]);
    expect(JSON.parse(edits[0]?.body ?? "")).toMatchObject({
      ssl: { method: "http", type: "dv", certificate_authority: "" },
    });
  });
});

describe("a hostname that the service deleted after 7 days in moved", () => {
  async function expired(more: object = {}): Promise<Rig> {
    const rig = rigOf(hostnames({}, ["a.one.net"], more));
    await rig.run();
    await rig.wait(A_DAY);
    await rig.run();
    rig.admin.setDns("a.one.net", { cname: "elsewhere.net" });
    await rig.wait(A_DAY);
    expect(live(rig, "a.one.net")).toMatchObject({ status: "moved" });
    await rig.run();
    await rig.wait(8 * A_DAY);
    expect(live(rig, "a.one.net")).toBeUndefined();
    return rig;
  }

  it("is found and not created again without being asked", async () => {
    const rig = await expired();
    const plan = await rig.plan();
    expect(changesOf(plan).filter(({ action }) => action === "create")).toEqual([]);
    expect(planText(plan, UNBROKEN)).toContain("expired-hostnames");
    await rig.run();
    expect(live(rig, "a.one.net")).toBeUndefined();
  });

  it("is created again if the YAML asks for it", async () => {
    const rig = await expired({ when_expired: "create" });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(live(rig, "a.one.net")).toMatchObject({ status: "pending" });
  });
});

describe("the check of the migration", () => {
  const WAF: SeedWaf = {
    migration: "start",
    owasp: { sensitivity: "medium", action_mode: "simulate" },
    page_rules: [{ url: "saas.net/upload/*", waf: "off" }],
    firewall_rules: [{ action: "bypass", products: ["waf"], filter: { expression: "ip.src eq 192.0.2.7" } }],
    groups: { "Cloudflare Php": "off" },
  };
  const MIGRATING = { version: 1, zone: ZONE, waf_migration: { target: "previous" } };

  it("has old, new and state of the zone at every step", async () => {
    const rig = rigOf(MIGRATING, { zone: { plan: "enterprise", waf: { migration: "start" } } });
    const standing = async (): Promise<unknown[]> =>
      (await wafStandings(rig.world(), { file: rig.file })).map(({ state, previous, new: next }) => [
        state,
        previous,
        next,
      ]);
    expect(await standing()).toEqual([["start", "enabled", "disabled"]]);
    rig.admin.waf.deploy(ZONE.id);
    await rig.wait(A_MINUTE);
    expect(await standing()).toEqual([["validation", "enabled", "enabled"]]);
    rig.admin.waf.ready(ZONE.id);
    rig.admin.waf.turnOffPrevious(ZONE.id);
    await rig.wait(A_MINUTE);
    expect(await standing()).toEqual([["complete", "disabled", "enabled"]]);
  });

  it("previews the derived rules, the skip rules that replace page rules and bypass rules, and core rule set 3.x", async () => {
    const rig = rigOf(MIGRATING, { zone: { plan: "business", waf: WAF } });
    const previews = await wafPreviews(rig.world(), { file: rig.file });
    const text = wafPreviewText(previews, UNBROKEN);
    expect(text).toContain(
      "saas.net: migration not started (start); previous managed rules enabled, new ones disabled",
    );
    expect(text).toContain('the page rule "Web Application Firewall: Off" for saas.net/upload/* has no effect');
    expect(text).toContain("a skip rule with ip.src eq 192.0.2.7 does the same; Cloudflare derives it");
    const [upload = ""] = (previews[0]?.derived ?? []).flatMap(({ expression }) =>
      typeof expression === "string" && expression.includes("/upload/*") ? [expression] : [],
    );
    expect(upload).not.toBe("");
    expect(text).toContain(`a skip rule with ${upload} does the same; Cloudflare derives it`);
    expect(text).not.toContain("would do the same");
    expect(text).not.toMatch(/version \d+: *$/m);
    expect(text).toContain("the migration drops the settings of the group Cloudflare Php");
    expect(text).toMatch(/core rule set 3\.x/);
    expect(previews[0]?.derived.map(({ action }) => action)).toEqual(["skip", "skip", "execute", "execute"]);
    expect(rig.service.core.log.entries().every(({ method }) => method === "GET")).toBe(true);
  });

  it("names each reason why a zone is not eligible", async () => {
    const overrides = [{ urls: ["saas.net/api/*"], rules: {}, groups: {} }];
    const rig = rigOf(MIGRATING, { zone: { plan: "business", waf: { ...WAF, uri_overrides: overrides } } });
    const [standing] = await wafStandings(rig.world(), { file: rig.file });
    expect(standing?.isCompatible).toBe(false);
    expect(standing?.reasons).toEqual([expect.stringContaining("for saas.net/api/*")]);
  });
});

describe("the calls of the migration", () => {
  it("are check, config and status to read, and the entry point's PUT with its query to act", async () => {
    const file = { version: 1, zone: ZONE, waf_migration: { target: "new", confirm_irreversible: ZONE.id } };
    const rig = rigOf(file, { zone: { plan: "business", waf: { migration: "start" } } });
    const sent = await sentBy(rig);
    const looks = new Set(sent.map(inShort).filter((each) => each.includes("waf_migration/")));
    expect([...looks].toSorted()).toEqual([
      "GET /waf_migration/check?phase_two=1",
      "GET /waf_migration/config?phase_two=1",
      "GET /waf_migration/status",
    ]);
    const writes = sent.filter(({ method }) => method !== "GET");
    const [put] = writes;
    expect(writes).toHaveLength(1);
    expect(put?.url).toContain("/rulesets/phases/http_request_firewall_managed/entrypoint?");
    expect(Object.fromEntries(new URL(put?.url ?? "").searchParams)).toEqual({
      phase_two: "1",
      waf_migration: "pending",
    });
    const { rules } = JSON.parse(put?.body ?? "");
    for (const rule of rules) {
      // An empty id, version or ref counts as absent.
      expect([rule.id ?? "", rule.version ?? "", rule.ref ?? ""]).toEqual(["", "", ""]);
    }
    expect(rules.map(({ action }: { action: string }) => action)).toEqual(["execute", "execute"]);
  });

  it("send derived rules to validation without empty ids, versions and refs", async () => {
    const file = { version: 1, zone: ZONE, waf_migration: { target: "validation" } };
    const rig = rigOf(file, { zone: { plan: "enterprise", waf: { migration: "start" } } });
    const [put] = (await sentBy(rig)).filter(({ method }) => method === "PUT");
    expect(new URL(put?.url ?? "").searchParams.get("waf_migration")).toBe("validation");
    const { rules } = JSON.parse(put?.body ?? "");
    expect(rules).toHaveLength(2);
    for (const rule of rules) expect([rule.id, rule.version, rule.ref]).toEqual([undefined, undefined, undefined]);
  });
});

describe("overrides of single rules", () => {
  it("are sent as declared: the rule, its action, and whether it is on; changing one changes only its rule", async () => {
    const zoneFile = (enabled: boolean): object => ({
      version: 1,
      zone: ZONE,
      entry_points: {
        http_request_firewall_managed: {
          rules: [
            {
              ref: "managed",
              action: "execute",
              expression: "true",
              action_parameters: {
                id: "cloudflare_managed",
                overrides: { rules: [{ id: "23ee7cebe6e8443e99ecf932ab579455", action: "log", enabled }] },
              },
            },
          ],
        },
      },
    });
    const rig = rigOf(zoneFile(false), { zone: { plan: "enterprise", waf: { migration: "complete" } } });
    expect(failuresOf(await rig.run())).toEqual([]);
    const path = `/zones/${ZONE.id}/rulesets/phases/http_request_firewall_managed/entrypoint`;
    const overrides = (): unknown =>
      JSON.parse(rig.admin.dashboard("GET", path).body).result.rules[0].action_parameters.overrides;
    expect(overrides()).toEqual({
      rules: [{ id: "23ee7cebe6e8443e99ecf932ab579455", action: "log", enabled: false }],
    });
    rig.write("zones/saas.yaml", zoneFile(true));
    const [change] = changesOf(await rig.plan());
    expect(change?.rules.map(({ action, ref }) => [action, ref])).toEqual([["edit", "managed"]]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(overrides()).toMatchObject({ rules: [{ enabled: true }] });
  });
});

describe("the switch of a declared rule", () => {
  it.each([
    ["is on by default, so that switching the rule off is a change", {}, ["enable"]],
    ["is left to others with null", { enabled: null }, []],
  ] as const)("%s", async (_title, written, expected) => {
    const rule = { ref: "r1", action: "block", expression: "ssl", ...written };
    const file = { version: 1, zone: ZONE, entry_points: { http_request_firewall_custom: { rules: [rule] } } };
    const rig = rigOf(file, { zone: { plan: "enterprise" } });
    expect(failuresOf(await rig.run())).toEqual([]);
    const path = `/zones/${ZONE.id}/rulesets/phases/http_request_firewall_custom/entrypoint`;
    const [live] = JSON.parse(rig.admin.dashboard("GET", path).body).result.rules;
    rig.admin.dashboard("PUT", path, { rules: [{ ...live, enabled: false }] });
    const rules = changesOf(await rig.plan()).flatMap((change) => change.rules);
    expect(rules.map(({ action }) => action)).toEqual(expected);
  });
});
