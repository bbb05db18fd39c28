import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { at, code, world, type Json } from "../../support/emulator.ts";

/** The names that the official client knows. */
const NAMES = [
  ...new Set(
    [
      ...readFileSync(
        join(import.meta.dirname, "../../../node_modules/cloudflare/resources/zones/settings.d.ts"),
        "utf8",
      ).matchAll(/^ +id\??: '(\w+)';/gm),
    ].map(([, name = ""]) => name),
  ),
];

/** A value of each kind beside a choice. */
const KEPT: readonly (readonly [name: string, body: { [key: string]: Json }])[] = [
  ["browser_cache_ttl", { value: 600 }],
  ["ciphers", { value: ["ECDHE-RSA-AES128-GCM-SHA256"] }],
  ["nel", { value: { enabled: false } }],
  ["ssl_recommender", { enabled: true }],
  ["auto_origin_tls_kex", { enabled: true }],
];

describe.each(["described", "public"] as const)("zone settings, service as %s", (behaviour) => {
  it("has each setting that the official client knows, alone and in the list", () => {
    const { zone } = world({}, { behaviour });
    expect(NAMES.length).toBeGreaterThan(55);
    const listed = at(zone("GET", "/settings"), "result");
    const ids = Array.isArray(listed) ? listed.map((setting) => at(setting, "id")) : [];
    for (const name of NAMES) {
      expect([name, zone("GET", `/settings/${name}`).status]).toEqual([name, 200]);
      expect(ids).toContain(name);
    }
  });

  it("refuses an unknown name (1006) and a value of another kind (1007)", () => {
    const { zone } = world({}, { behaviour });
    expect(code(zone("GET", "/settings/nothing"))).toBe(1006);
    for (const [name, value] of [
      ["brotli", "maybe"],
      ["browser_cache_ttl", "on"],
      ["ciphers", "all"],
      ["nel", true],
      ["challenge_ttl", 1],
      ["advanced_ddos", "off"],
    ] as const)
      expect([name, code(zone("PATCH", `/settings/${name}`, { value }))]).toEqual([name, 1007]);
  });

  it("keeps a number, a list, a map, and a value that is called enabled", () => {
    const { zone } = world({}, { behaviour });
    for (const [name, body] of KEPT) {
      expect(at(zone("PATCH", `/settings/${name}`, body), "result")).toMatchObject({ id: name, ...body });
      expect(at(zone("GET", `/settings/${name}`), "result")).toMatchObject({ id: name, ...body });
    }
  });

  it("changes several at once, or none", () => {
    const { zone } = world({}, { behaviour });
    const items = [
      { id: "brotli", value: "off" },
      { id: "waf", value: "off" },
    ];
    expect(at(zone("PATCH", "/settings", { items }), "result")).toMatchObject(items);
    const refused = [
      { id: "brotli", value: "on" },
      { id: "http3", value: "perhaps" },
    ];
    expect(code(zone("PATCH", "/settings", { items: refused }))).toBe(1007);
    expect(at(zone("GET", "/settings/brotli"), "result.value")).toBe("off");
  });

  it("recommends a mode of encryption", () => {
    const answer = world({}, { behaviour }).zone("GET", "/ssl/recommendation");
    expect(at(answer, "result")).toMatchObject({ value: "auto", editable: true, modified_on: expect.any(String) });
  });
});
