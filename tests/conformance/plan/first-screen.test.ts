import { expect, test } from "vitest";
import { planMarkdown, planText } from "../../../lib/report/plan.ts";
import { failuresOf, openRig, ZONE } from "../../support/engine.ts";

const SKIP = {
  ref: "sec/skip-uploads",
  action: "skip",
  action_parameters: { ruleset: "current" },
  expression: 'starts_with(http.request.uri.path, "/upload")',
};

const GONE = "shop50.customer.net";
const SCANNER = "scanner.gold.net";

/** 60 hostnames with an origin each; one of them goes, one accepts less, and a rule lets more through. */
function zoneFile(isChanged: boolean): object {
  const names = Array.from({ length: 60 }, (_none, index) => `shop${index}.customer.net`);
  const kept = names.filter((name) => !isChanged || name !== GONE);
  const exceptions = [
    {
      match: { hostname: SCANNER },
      set: { ssl: { settings: { min_tls_version: "1.1" } } },
      reason: "EDGE-500: legacy scanners",
      until: "2099-01-31",
    },
  ];
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: `fallback.${ZONE.name}` },
    custom_hostnames: {
      lifecycle: "zoneform",
      entries: [SCANNER, ...kept].map((hostname) => ({
        hostname,
        custom_metadata: { tier: isChanged && hostname !== SCANNER ? `tier of ${hostname}` : "silver" },
      })),
      policies: [
        { name: "baseline", set: { ssl: { method: "http", type: "dv", settings: { min_tls_version: "1.3" } } } },
      ],
      ...(isChanged ? { exceptions } : {}),
    },
    entry_points: {
      http_request_firewall_custom: {
        rules: [{ ...SKIP, ...(isChanged ? { expression: SKIP.expression.replace("/upload", "/up") } : {}) }],
      },
    },
    deletion_limits: { custom_hostname: { percent: "50%" } },
  };
}

test("the first screen of a plan names each of three dangers among 60 changes, with its ticket", async () => {
  const rig = openRig({
    files: { "zones/a.yaml": zoneFile(false) },
    zone: { plan: "enterprise" },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(3_600_000);
  expect(failuresOf(await rig.run())).toEqual([]);
  rig.write("zones/a.yaml", zoneFile(true));
  const plan = await rig.plan();

  const screen = planText(plan, { colour: false, columns: 80 }).split("\n").slice(0, 12).join("\n");
  expect(screen).toMatch(/^Plan for project \S+: 62 changes in zone /);
  const unfolded = planMarkdown(plan).split("<details>")[0] ?? "";
  const comment = unfolded.split("\n").slice(0, 12).join("\n").replaceAll("\\", "");
  for (const first of [screen, comment]) {
    const words = first.replaceAll(/[*`\s]+/g, " ");
    expect(words).toContain(`DANGER ${GONE} goes offline`);
    expect(words).toContain(`DANGER ${SCANNER} accepts TLS 1.1 (minimum was 1.3)`);
    // The place in the YAML stands between the words where the line is broken.
    expect(words).toMatch(/by exception "EDGE-500: legacy scanners", .*2099-01-31/);
    expect(words).toContain('DANGER skip rule "sec/skip-uploads" matches more requests');
  }
});
