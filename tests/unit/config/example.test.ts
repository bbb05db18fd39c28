import { join } from "node:path";
import { expect, test } from "vitest";
import { loadFolder, sound } from "./project.ts";

const FOLDER = join(import.meta.dirname, "../../../examples/saas");

test("the example project loads without a warning, with both zones and every customer", async () => {
  const loaded = await loadFolder(FOLDER);
  const { desired, sources } = sound(loaded);
  expect(loaded.ok && loaded.warnings).toEqual([]);
  expect(desired.zones.map(({ name, hostnames }) => `${name} ${hostnames.lifecycle}`)).toEqual([
    "saas-app.dev app",
    "saas.dev zoneform",
  ]);
  expect(desired.budget).toEqual({ apiShare: 0.5, issuancePerMinute: 300, issuanceReserve: 5, countsPatches: true });
  const kinds = desired.zones.map(({ objects }) => objects.map(({ kind }) => kind));
  expect(kinds[0]).toEqual(["fallback_origin"]);
  expect(kinds[1]?.filter((kind) => kind === "custom_hostname")).toHaveLength(14);
  expect(kinds[1]?.filter((kind) => kind !== "custom_hostname")).toEqual(["fallback_origin", "ruleset", "total_tls"]);
  expect(sources).toMatchObject([{ zone: "saas.dev", source: "customers", rows: 12, maxShrink: 0.2 }]);
});

test("its entry point shares the phase: options beside the values, and managed rulesets by id", async () => {
  const { desired } = sound(await loadFolder(FOLDER));
  const ruleset = desired.zones[1]?.objects.find(({ kind }) => kind === "ruleset");
  expect(ruleset?.key).toBe("http_request_firewall_managed");
  expect(ruleset?.options).toEqual({ own: ["sec/"], adopt: true, place: "first" });
  expect(Object.keys(ruleset?.values ?? {})).toEqual(["rules"]);
  expect(JSON.stringify(ruleset?.values)).toContain("efb7b8c949ac4650a09736fc376e9aee");
});

test("the exception for the old terminals hits, and is told by its reason", async () => {
  const loaded = sound(await loadFolder(FOLDER));
  const hostname = { kind: "custom_hostname", key: "pos.old-mill-bakery.com" } as const;
  expect(loaded.originOf("saas.dev", hostname, ["ssl", "settings", "min_tls_version"])).toMatchObject({
    through: 'exception "EDGE-412: card terminals from 2014"',
    until: "2027-03-31",
  });
  expect(loaded.originOf("saas.dev", hostname, ["custom_metadata", "tier"])).toEqual({
    at: { file: "data/customers.csv", line: 11, column: 25 },
    through: 'source "customers", row 10',
  });
});
