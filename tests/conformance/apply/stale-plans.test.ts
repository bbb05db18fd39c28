import { describe, expect, it } from "vitest";
import { changesOf, endingsOf, failuresOf, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";

const ENTRY_POINT = `/zones/${ZONE.id}/rulesets/phases/http_request_firewall_custom/entrypoint`;
const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const SSL = { method: "http", type: "dv" };
const A_DAY = 24 * 60 * 60_000;

function zoneFile(entries: readonly object[], more: object = {}): object {
  const policies = [{ name: "all", set: { ssl: SSL } }];
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", policies, entries }, ...more };
}

function rigWith(entries: readonly object[], more: object = {}): Rig {
  return openRig({ zone: { plan: "enterprise" }, files: { "zones/a.yaml": zoneFile(entries, more) } });
}

function block(ref: string): object {
  return { ref, action: "block", expression: "ip.src eq 192.0.2.7" };
}

function statuses(report: Parameters<typeof endingsOf>[0]): readonly string[] {
  return endingsOf(report).map(({ action, outcome }) => `${action} ${outcome.status}`);
}

function liveNames(rig: Rig): readonly string[] {
  return JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body).result.map(
    ({ hostname }: { hostname: string }) => hostname,
  );
}

/** A plan that deletes a.customer.net, and YAML that now only a replacement of it can fulfil. */
async function deletionBeforeReplacement(): Promise<{ rig: Rig; waiting: Awaited<ReturnType<Rig["plan"]>> }> {
  const branded = (isBranded: boolean): object[] => [
    { hostname: "a.customer.net", ssl: { ...SSL, cloudflare_branding: isBranded } },
    { hostname: "b.customer.net" },
  ];
  const rig = rigWith(branded(true));
  await rig.run();
  await rig.wait(A_DAY);
  rig.write("zones/a.yaml", zoneFile([{ hostname: "b.customer.net" }]));
  const waiting = await rig.plan();
  rig.write("zones/a.yaml", zoneFile(branded(false)));
  return { rig, waiting };
}

describe("a foreign change after the plan was made", () => {
  it("a create does not overwrite an entry point that exists by now", async () => {
    const rig = rigWith([], { entry_points: { http_request_firewall_custom: { rules: [block("ours")] } } });
    const plan = await rig.plan();
    rig.admin.dashboard("PUT", ENTRY_POINT, { rules: [{ ref: "theirs", action: "block", expression: "true" }] });
    expect(statuses(await rig.apply(plan))).toEqual(["create conflict"]);
    expect(JSON.parse(rig.admin.dashboard("GET", ENTRY_POINT).body).result.rules[0].ref).toBe("theirs");
  });

  it("a create does not replace a fallback origin that is set by now", async () => {
    const rig = rigWith([], { fallback_origin: { origin: "fallback.saas.net" } });
    const plan = await rig.plan();
    rig.admin.dashboard("PUT", `${HOSTNAMES}/fallback_origin`, { origin: "fallback2.saas.net" });
    expect(statuses(await rig.apply(plan))).toEqual(["create conflict"]);
  });

  it("a hostname that was protected is not deleted, and stays protected", async () => {
    const rig = rigWith([{ hostname: "a.customer.net" }, { hostname: "b.customer.net" }]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "b.customer.net" }]));
    const plan = await rig.plan();
    rig.write(
      "zones/a.yaml",
      zoneFile([{ hostname: "a.customer.net", protect: true }, { hostname: "b.customer.net" }]),
    );
    await rig.run();
    expect(statuses(await rig.apply(plan))).toEqual(["delete refused"]);
    expect(liveNames(rig)).toContain("a.customer.net");
    expect((await rig.state())?.objects.get('custom_hostname["a.customer.net"]')?.protect).toBe(true);
  });

  it("a deletion that has become an outage is a conflict", async () => {
    const rig = rigWith([{ hostname: "a.customer.net" }, { hostname: "b.customer.net" }]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "b.customer.net" }]));
    const plan = await rig.plan();
    expect(changesOf(plan)[0]?.hazards).not.toContain("outage");
    await rig.wait(A_DAY);
    expect(statuses(await rig.apply(plan))).toEqual(["delete conflict"]);
  });

  it("a held deletion loses nothing that another run made when it replaced the hostname meanwhile", async () => {
    const { rig, waiting } = await deletionBeforeReplacement();
    expect(statuses(await rig.run())).toEqual(["replace done"]);
    const made = (await rig.state())?.objects.get('custom_hostname["a.customer.net"]');
    expect(made?.id).not.toBe(changesOf(waiting)[0]?.id);
    expect(statuses(await rig.apply(waiting))).toEqual(["delete conflict"]);
    expect((await rig.state())?.objects.get('custom_hostname["a.customer.net"]')).toEqual(made);
    expect(liveNames(rig)).toContain("a.customer.net");
  });

  it("a hostname that another run released meanwhile is not deleted", async () => {
    const rig = rigWith([{ hostname: "a.customer.net" }, { hostname: "b.customer.net" }]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "b.customer.net" }]));
    const waiting = await rig.plan();
    rig.write(
      "zones/a.yaml",
      zoneFile([{ hostname: "b.customer.net" }], { forget: ['custom_hostname["a.customer.net"]'] }),
    );
    expect(statuses(await rig.run())).toEqual(["forget done"]);
    expect(statuses(await rig.apply(waiting))).toEqual(["delete conflict"]);
    expect(liveNames(rig)).toContain("a.customer.net");
  });

  it("a replacement that was cut off between its halves stays known to the run after a held deletion", async () => {
    const { rig, waiting } = await deletionBeforeReplacement();
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      if (request.method === "POST") rig.crash();
      return answer;
    });
    expect(await rig.untilCrash(rig.run())).toBe("crashed");
    await rig.restart();
    expect(statuses(await rig.apply(waiting))).toEqual(["delete conflict"]);
    expect((await rig.state())?.objects.get('custom_hostname["a.customer.net"]')?.pending).toBe("create");
  });

  it("fields that a held plan releases are not released for a hostname that another run created instead", async () => {
    const entry = { hostname: "a.customer.net", custom_metadata: { tier: "a" } };
    const rig = rigWith([entry]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "a.customer.net" }]));
    const waiting = await rig.plan();
    expect(inWords(changesOf(waiting))).toEqual([expect.stringContaining("forget")]);
    rig.write("zones/a.yaml", zoneFile([entry]));
    const [live] = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body).result;
    rig.admin.dashboard("DELETE", `${HOSTNAMES}/${live.id}`);
    expect(statuses(await rig.run())).toEqual(["create done"]);
    const known = (await rig.state())?.objects.get('custom_hostname["a.customer.net"]');
    expect(known?.id).not.toBe(live.id);

    expect(statuses(await rig.apply(waiting))).toEqual(["forget conflict"]);
    expect((await rig.state())?.objects.get('custom_hostname["a.customer.net"]')).toEqual(known);
  });

  it("fields that a held plan releases keep what another run has applied to the hostname since", async () => {
    const entry = (tier: string): object => ({ hostname: "a.customer.net", custom_metadata: { tier, shop: "x" } });
    const rig = rigWith([entry("a")]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "a.customer.net", custom_metadata: { tier: "a" } }]));
    const waiting = await rig.plan();
    rig.write("zones/a.yaml", zoneFile([entry("b")]));
    expect(statuses(await rig.run())).toEqual(["update done"]);

    expect(statuses(await rig.apply(waiting))).toEqual(["forget conflict"]);
    const known = (await rig.state())?.objects.get('custom_hostname["a.customer.net"]');
    expect(known?.applied).toMatchObject({ custom_metadata: { tier: "b" } });
  });

  it("fields that another run has already released are released once more without a conflict", async () => {
    const rig = rigWith([{ hostname: "a.customer.net", custom_metadata: { tier: "a" } }]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "a.customer.net" }]));
    const waiting = await rig.plan();
    await rig.run();
    expect(statuses(await rig.apply(waiting))).toEqual(["forget done"]);
  });

  it("a hostname that a held plan releases stays tracked if another run created it again", async () => {
    const rig = rigWith([{ hostname: "a.customer.net" }]);
    await rig.run();
    rig.write("zones/a.yaml", { version: 1, zone: ZONE });
    const waiting = await rig.plan();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "a.customer.net" }]));
    const [live] = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body).result;
    rig.admin.dashboard("DELETE", `${HOSTNAMES}/${live.id}`);
    await rig.run();
    expect(statuses(await rig.apply(waiting))).toEqual(["forget conflict"]);
    expect((await rig.state())?.objects.has('custom_hostname["a.customer.net"]')).toBe(true);
  });

  it("a deletion that is applied a second time finds that it was done", async () => {
    const rig = rigWith([{ hostname: "a.customer.net" }, { hostname: "b.customer.net" }]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "b.customer.net" }]));
    const plan = await rig.plan();
    expect(statuses(await rig.apply(plan))).toEqual(["delete done"]);
    expect(statuses(await rig.apply(plan))).toEqual(["delete done"]);
    expect(liveNames(rig)).toEqual(["b.customer.net"]);
  });

  it("a hostname that was deleted and created again is adopted as drift if it is declared, and never deleted", async () => {
    const rig = rigWith([{ hostname: "a.customer.net" }]);
    await rig.run();
    await rig.wait(A_DAY);
    const [{ id }] = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body).result;
    rig.admin.dashboard("DELETE", `${HOSTNAMES}/${id}`);
    rig.admin.dashboard("POST", HOSTNAMES, { hostname: "a.customer.net", ssl: SSL });
    expect(inWords(changesOf(await rig.plan()))).toEqual(['adopt custom_hostname["a.customer.net"] drift']);
    expect(await rig.drift()).toHaveLength(1);
    rig.write("zones/a.yaml", zoneFile([{ hostname: "b.customer.net" }]));
    expect(changesOf(await rig.plan()).filter(({ action }) => action === "delete")).toEqual([]);
  });
});

describe("failures on the way", () => {
  it("a rename whose create fails deletes nothing", async () => {
    const rig = rigWith([{ hostname: "a.customer.net" }]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "b.customer.net" }]));
    rig.service.core.faults.order({ fault: { kind: "status", status: 400, after: false }, method: "POST" });
    expect(statuses(await rig.run())).toEqual(["create failed", "delete not-started"]);
    expect(liveNames(rig)).toEqual(["a.customer.net"]);
  });

  it("a replacement whose create fails says that the old one is gone", async () => {
    const rig = rigWith([{ hostname: "a.customer.net", ssl: { cloudflare_branding: true } }]);
    await rig.run();
    await rig.wait(A_DAY);
    rig.write("zones/a.yaml", zoneFile([{ hostname: "a.customer.net", ssl: { cloudflare_branding: false } }]));
    rig.service.core.faults.order({ fault: { kind: "status", status: 400, after: false }, method: "POST" });
    const [end] = endingsOf(await rig.run());
    expect(end?.outcome).toMatchObject({ status: "failed", hasWritten: true });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(liveNames(rig)).toEqual(["a.customer.net"]);
  });
});

it("a policy never replaces what the application owns: what only that could change is held", async () => {
  const file = (isBranded: boolean): object => ({
    version: 1,
    zone: ZONE,
    custom_hostnames: {
      lifecycle: "app",
      policies: [{ name: "brand", set: { ssl: { cloudflare_branding: isBranded } } }],
    },
  });
  const rig = openRig({
    zone: { plan: "enterprise", custom_hostnames: [{ hostname: "one.tenant.net" }] },
    files: { "zones/a.yaml": file(true) },
  });
  await rig.run();
  rig.write("zones/a.yaml", file(false));
  expect(changesOf(await rig.plan()).map(({ action }) => action)).toEqual(["held"]);
});

it("a migration that is targeted alone still asks the guards of the entry point that it writes too", async () => {
  const managed = {
    ref: "managed",
    action: "execute",
    expression: "true",
    action_parameters: { id: "cloudflare_managed" },
  };
  const theirs = {
    ref: "theirs",
    action: "execute",
    expression: "true",
    action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee" },
  };
  const rig = openRig({
    zone: {
      plan: "enterprise",
      waf: { migration: "start" },
      rulesets: [{ phase: "http_request_firewall_managed", rules: [theirs] }],
    },
    files: {
      "zones/a.yaml": {
        version: 1,
        zone: ZONE,
        entry_points: { http_request_firewall_managed: { rules: [managed] } },
        waf_migration: { target: "new", confirm_irreversible: ZONE.id },
      },
    },
  });
  const plan = await rig.plan({ selection: { target: ["waf_migration"], exclude: [], deny: [] } });
  expect(changesOf(plan).map(({ refused }) => refused?.code)).toEqual(["unmanaged-entry-point"]);
});
