import { describe, expect, it } from "vitest";
import { formatAddress } from "../../../lib/core/address.ts";
import { zoneId } from "../../../lib/core/brand.ts";
import type { Change } from "../../../lib/plan/change.ts";
import { DIGEST_VERSION, digestOf, planHash, versionOfHash } from "../../../lib/plan/digest.ts";
import { aChange, aLeaf, aRule, aZone } from "../../support/plans.ts";

const METHOD = aLeaf("ssl.method", "http", "txt");
const TIER = aLeaf("custom_metadata.tier", "silver", "gold");

/** One change of each sort that a digest tells apart. Never edit these: they stand for the approvals that people keep. */
const CHANGES: Readonly<Record<string, Change>> = {
  create: aChange("a.net", "create", { leaves: [aLeaf("ssl.method", undefined, "http")] }),
  update: aChange("a.net", "update", { leaves: [METHOD, TIER], hazards: ["reissue"], expected: { ssl: {} } }),
  held: aChange("a.net", "held", { held: { leaves: [METHOD, TIER], reason: "it waits", becomes: "update" } }),
  delete: aChange("a.net", "delete", { id: "1".repeat(32), expected: { hostname: "a.net" }, hazards: ["outage"] }),
  forget: aChange("a.net", "forget", { letGo: [["protect"]] }),
  rules: aChange("http_request_firewall_custom", "update", {
    kind: "ruleset",
    id: "2".repeat(32),
    rules: [aRule("remove", "sec/1", "old", { from: 1 }), aRule("insert", "sec/2", "new", { to: 1, leaves: [METHOD] })],
    expected: { rules: [] },
  }),
  together: aChange("", "update", {
    kind: "waf_migration",
    leaves: [aLeaf("target", "validation", "new")],
    with: aChange("http_request_firewall_managed", "update", {
      kind: "ruleset",
      digest: digestOf(aChange("", "adopt")),
    }),
  }),
};

/**
 * The digests of version 1. If this test fails, equal changes have other digests than before: raise `DIGEST_VERSION`, so
 * that nothing that was approved is taken for anything else, and only then pin the new ones.
 */
const PINNED: Readonly<Record<string, string>> = {
  create: "sha256:1c1a3062faf71f5687913660e7500a01c4de8feda4c1c36cb33ba3248e2a7c94",
  update: "sha256:e767e67f876f85d44f16d057bcbf8e8a1444c3c526a7dd9d7d5fda84b4442b30",
  held: "sha256:e767e67f876f85d44f16d057bcbf8e8a1444c3c526a7dd9d7d5fda84b4442b30",
  delete: "sha256:f07e7c2d5f1f05c2a0e88f921b3439f02dfed7f1a3a75ebe658b95f1044eb5b7",
  forget: "sha256:0a8cbc66dd15a911c80f2789ce73d7d997f33b41ff8adf88e919c9596b2b0a85",
  rules: "sha256:ef7743be39c166aa6992932123ee9f64edf1e4808d83b634e506ccccce665ed2",
  together: "sha256:794a81c4395bf1a9cd87e749d116a9358bb774fa8c82e3d001384d1cea07cb3f",
};

describe("digests of version 1", () => {
  it("are what they were when the version was made", () => {
    const digests = Object.entries(CHANGES).map(([name, change]) => [name, digestOf(change)]);
    expect([DIGEST_VERSION, Object.fromEntries(digests)]).toEqual([1, PINNED]);
  });

  it("make the hash that it was then", () => {
    const changes = Object.values(CHANGES).map((change) => ({ ...change, digest: digestOf(change) }));
    expect(planHash([aZone({ changes })])).toBe("zf1:da4607ae404c527ff311e0b90d571c29c922b45ef00cfc0c751e3bba3e1490c2");
  });
});

describe("a digest", () => {
  it("is that of the update that waits, whatever part of it waits", () => {
    const update = aChange("a.net", "update", { leaves: [METHOD, TIER] });
    const inPart = aChange("a.net", "update", {
      leaves: [TIER],
      held: { leaves: [METHOD], reason: "it waits", becomes: "update" },
    });
    const held = aChange("a.net", "held", { held: { leaves: [TIER, METHOD], reason: "it waits", becomes: "update" } });
    expect(new Set([update, inPart, held].map(digestOf)).size).toBe(1);
    const gone = aChange("a.net", "held", { held: { leaves: [], reason: "it moves" } });
    expect(digestOf(gone)).not.toBe(digestOf(aChange("a.net", "update")));
  });

  it("is the same where the project has several zones, so that one zone more makes no approval void", () => {
    for (const change of Object.values(CHANGES)) {
      const address = formatAddress({ kind: change.kind, key: change.key, zone: "saas.dev" });
      expect(digestOf({ ...change, address })).toBe(
        digestOf({ ...change, address: formatAddress({ kind: change.kind, key: change.key }) }),
      );
    }
  });

  it("is another one once another run has applied what it changes, and no other part of the object", () => {
    const digests = [
      undefined,
      { "ssl.method": "7afb14ca" },
      { "ssl.method": "0c41d2e9" },
      { "": "7afb14ca", "ssl.settings.http2": "0c41d2e9" },
      { "ssl.settings.http2": "0c41d2e9" },
    ].map((by) => digestOf(aChange("a.net", "update", { leaves: [METHOD], ...(by ? { by } : {}) })));
    expect(digests.map((digest) => digests.indexOf(digest))).toEqual([0, 1, 2, 1, 0]);
  });

  it("leaves hazards out, and the hash of the plan has them", () => {
    const [harmless, harmful] = [aChange("a.net", "update"), aChange("a.net", "update", { hazards: ["outage"] })];
    expect(digestOf(harmless)).toBe(digestOf(harmful));
    expect(planHash([aZone({ changes: [harmless] })])).not.toBe(planHash([aZone({ changes: [harmful] })]));
  });
});

describe("a hash", () => {
  it("says its version", () => {
    const hex = "0".repeat(64);
    expect(planHash([])).toMatch(/^zf1:[0-9a-f]{64}$/);
    expect(["zf1:", "zf10:"].map((form) => versionOfHash(form + hex))).toEqual([1, 10]);
    expect(["", hex, `sha256:${hex}`, `zf1:${hex}0`, `zf0:${hex}`].map(versionOfHash)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is of its zones", () => {
    const changes = [aChange("a.net", "create")];
    const other = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "other.net" };
    expect(planHash([aZone({ changes })])).not.toBe(planHash([aZone({ changes, zone: other })]));
  });
});
