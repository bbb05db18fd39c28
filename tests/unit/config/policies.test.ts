import { describe, expect, test } from "vitest";
import type { DesiredObject, LoadedProject } from "../../../lib/config/desired.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import { faults, loadZone, sound, TODAY } from "./project.ts";

function hostname(loaded: LoadedProject, key: string): DesiredObject {
  const found = loaded.desired.zones.flatMap((zone) => zone.objects).find((object) => object.key === key);
  if (!found) throw new Error(`${key} is not declared`);
  return found;
}

async function valuesOf(key: string, body: string): Promise<JsonObject> {
  return hostname(sound(await loadZone(body)), key).values;
}

describe("ownership by leaf", () => {
  test("a leaf that is absent or null is not in the values", async () => {
    const values = await valuesOf(
      "a.customer.net",
      `custom_hostnames:
  lifecycle: zoneform
  entries:
    - { hostname: a.customer.net, custom_origin_server: null, ssl: { method: txt, wildcard: null, settings: null } }`,
    );
    expect(values).toEqual({ ssl: { method: "txt" } });
  });

  test("null in a later policy is no opinion and leaves what an earlier one set", async () => {
    const values = await valuesOf(
      "a.customer.net",
      `custom_hostnames:
  lifecycle: zoneform
  entries: [{ hostname: a.customer.net }]
  policies:
    - { name: one, set: { ssl: { method: txt, certificate_authority: google } } }
    - { name: two, set: { ssl: { certificate_authority: null } } }`,
    );
    expect(values).toEqual({ ssl: { method: "txt", certificate_authority: "google" } });
  });
});

describe("the choice of a certificate authority has three values", () => {
  test.each([
    ["certificate_authority: default", { method: "txt", certificate_authority: "default" }],
    ['certificate_authority: ""', { method: "txt", certificate_authority: "default" }],
    ["certificate_authority: google", { method: "txt", certificate_authority: "google" }],
    ["certificate_authority: null", { method: "txt" }],
    ["type: dv", { method: "txt", type: "dv" }],
  ])("%s", async (leaf, ssl) => {
    const values = await valuesOf(
      "a.customer.net",
      `custom_hostnames: { lifecycle: zoneform, entries: [{ hostname: a.customer.net, ssl: { method: txt, ${leaf} } }] }`,
    );
    expect(values).toEqual({ ssl });
  });
});

describe("who wins", () => {
  const BODY = `custom_hostnames:
  lifecycle: zoneform
  entries:
    - { hostname: a.customer.net, ssl: { method: email } }
    - { hostname: b.customer.net, ssl: { method: email } }
    - { hostname: "*.wild.net" }
    - { hostname: apex.net, ssl: { wildcard: true } }
    - { hostname: gold.net, custom_metadata: { tier: gold }, custom_origin_server: Pool.saas.dev, labels: { region: eu } }
  policies:
    - { name: first, match: { wildcard: false }, set: { ssl: { method: http, settings: { ciphers: [A, B], http2: "on" } } } }
    - { name: second, match: { hostname: "*.net", wildcard: false }, set: { ssl: { settings: { ciphers: [C] } } } }
    - { name: wild, match: { wildcard: true }, set: { ssl: { method: txt } } }
    - { name: gold, match: { metadata.tier: [silver, gold] }, set: { custom_origin_sni: gold.saas.dev } }
    - { name: pool, match: { custom_origin_server: pool.saas.dev, label.region: eu }, set: { ssl: { settings: { early_hints: "on" } } } }
    - { name: other, match: { label.region: us }, set: { ssl: { settings: { early_hints: "off" } } } }
  exceptions:
    - { match: { hostname: A.Customer.net. }, set: { ssl: { method: txt } }, reason: EDGE-1 }
`;

  test("an exception wins over the entry, and the entry over policies", async () => {
    const loaded = sound(await loadZone(BODY));
    expect(hostname(loaded, "a.customer.net").values["ssl"]).toMatchObject({ method: "txt" });
    expect(hostname(loaded, "b.customer.net").values["ssl"]).toMatchObject({ method: "email" });
  });

  test("maps merge, and lists replace", async () => {
    expect(await valuesOf("b.customer.net", BODY)).toEqual({
      ssl: { method: "email", settings: { ciphers: ["C"], http2: "on" } },
    });
  });

  test("a wildcard is a name that begins with *. or an entry that sets ssl.wildcard", async () => {
    const loaded = sound(await loadZone(BODY));
    expect(hostname(loaded, "*.wild.net").values["ssl"]).toMatchObject({ method: "txt" });
    expect(hostname(loaded, "apex.net").values["ssl"]).toMatchObject({ method: "txt" });
    expect(hostname(loaded, "gold.net").values["ssl"]).toMatchObject({ method: "http" });
  });

  test("metadata, origin and labels are facts, and labels are not in the values", async () => {
    expect(await valuesOf("gold.net", BODY)).toEqual({
      custom_metadata: { tier: "gold" },
      custom_origin_server: "pool.saas.dev",
      custom_origin_sni: "gold.saas.dev",
      ssl: { method: "http", settings: { ciphers: ["C"], http2: "on", early_hints: "on" } },
    });
  });

  test("why is answered with the place and the policy, exception, or entry that set each leaf", async () => {
    const loaded = sound(await loadZone(BODY));
    const originOf = (key: string, path: string): unknown =>
      loaded.originOf("saas.dev", { kind: "custom_hostname", key }, path.split("."));
    const file = "zones/a.yaml";
    expect(originOf("a.customer.net", "ssl.method")).toEqual({
      at: { file, line: 19, column: 69 },
      through: 'exception "EDGE-1"',
      isShared: true,
    });
    expect(originOf("a.customer.net", "ssl.settings.ciphers")).toMatchObject({
      at: { file, line: 13 },
      through: 'policy "second"',
    });
    expect(originOf("a.customer.net", "ssl.settings.http2")).toMatchObject({
      at: { file, line: 12 },
      through: 'policy "first"',
    });
    expect(originOf("b.customer.net", "ssl.method")).toEqual({ at: { file, line: 7, column: 50 } });
  });

  test("the last day of the exception that decides is known, also for a hostname that only policies match", async () => {
    const loaded = sound(
      await loadZone(`custom_hostnames:
  lifecycle: app
  policies: [{ name: base, set: { ssl: { settings: { min_tls_version: "1.3", http2: "on" } } } }]
  exceptions:
    - match: { hostname: old.net }
      set: { ssl: { settings: { min_tls_version: "1.1" } } }
      reason: EDGE-2
      until: 2027-01-31
`),
    );
    const facts = { hostname: "old.net", metadata: {}, labels: {} };
    const originOf = (name: string): unknown =>
      loaded.originOf("saas.dev", { kind: "custom_hostname", key: "old.net", facts }, ["ssl", "settings", name]);
    expect(originOf("min_tls_version")).toMatchObject({ through: 'exception "EDGE-2"', until: "2027-01-31" });
    expect(originOf("http2")).toMatchObject({ through: 'policy "base"' });
  });
});

describe("an exception that lowers the minimum of TLS without a reason or an end is a warning", () => {
  const warned = async (lifecycle: string, exception: string): Promise<readonly string[]> => {
    const loaded = await loadZone(`custom_hostnames:
  lifecycle: ${lifecycle}
${lifecycle === "app" ? "" : "  entries: [{ hostname: a.customer.net, custom_metadata: { tier: gold } }]\n"}  policies:
    - { name: base, set: { ssl: { type: dv, method: http, settings: { min_tls_version: "1.2" } } } }
    - { name: gold, match: { metadata.tier: gold }, set: { ssl: { settings: { min_tls_version: "1.3" } } } }
  exceptions: [${exception}]
`);
    return (loaded.ok ? loaded.warnings : loaded.diagnostics).map(({ code, message }) => `${code}: ${message}`);
  };
  const lowering = (version: string, more: string, match = "hostname: a.customer.net"): string =>
    `{ match: { ${match} }, set: { ssl: { settings: { min_tls_version: "${version}" } } }${more} }`;

  test.each([
    [
      "zoneform",
      lowering("1.2", ""),
      '"a.customer.net" lowers min_tls_version from 1.3 to 1.2, and has no reason and no until',
    ],
    [
      "zoneform",
      lowering("1.0", ", until: 2027-01-31"),
      '"a.customer.net" lowers min_tls_version from 1.3 to 1.0, and has no reason',
    ],
    ["app", lowering("1.1", ", reason: EDGE-1"), '"EDGE-1" lowers min_tls_version from 1.2 to 1.1, and has no until'],
    [
      "app",
      lowering("1.2", ", reason: EDGE-1", "metadata.tier: gold"),
      '"EDGE-1" lowers min_tls_version from 1.3 to 1.2, and has no until',
    ],
  ])("with lifecycle %s: %s", async (lifecycle, exception, words) => {
    expect(await warned(lifecycle, exception)).toEqual([`exception-unexplained: the exception ${words}`]);
  });

  test.each([
    ["zoneform", lowering("1.3", "")],
    ["zoneform", lowering("1.0", ", reason: EDGE-1, until: 2027-01-31")],
    ["app", lowering("1.2", "")],
  ])("and no other one is, with lifecycle %s: %s", async (lifecycle, exception) => {
    expect(await warned(lifecycle, exception)).toEqual([]);
  });
});

describe("exceptions", () => {
  const body = (until: string): string => `custom_hostnames:
  lifecycle: zoneform
  entries: [{ hostname: a.customer.net, ssl: { method: txt } }]
  exceptions:
    - { match: { hostname: a.customer.net }, set: { ssl: { method: email } }, reason: EDGE-2, until: ${until} }
`;

  test.each([
    ["2026-10-31", "txt", 1],
    ["2026-11-01", "email", 0],
    ["2027-11-01", "email", 0],
  ])("until %s, on the first of November: %s, %i warnings", async (until, method, warnings) => {
    const loaded = await loadZone(body(until));
    expect(hostname(sound(loaded), "a.customer.net").values).toEqual({ ssl: { method } });
    expect(loaded.ok && loaded.warnings.map(({ code, at }) => `${code} ${at?.line}`)).toEqual(
      Array.from({ length: warnings }, () => "exception-ended 7"),
    );
  });

  test("the last day holds to its last millisecond in UTC, and not one longer", async () => {
    const midnight = Date.UTC(2026, 10, 2);
    const method = async (today: number): Promise<unknown> =>
      hostname(sound(await loadZone(body("2026-11-01"), {}, { today })), "a.customer.net").values["ssl"];
    expect(await method(midnight - 1)).toEqual({ method: "email" });
    expect(await method(midnight)).toEqual({ method: "txt" });
    expect(TODAY).toBeLessThan(midnight);
  });

  test("a near name is suggested for one that hits nothing", async () => {
    const found = faults(
      await loadZone(body("2027-01-01").replace("{ hostname: a.customer.net }", "{ hostname: a.custmer.net }")),
    );
    expect(found.map(({ code, remedy }) => [code, remedy])).toEqual([
      ["exception-without-hit", 'did you mean "a.customer.net"?'],
    ]);
  });

  test.each(["lifecycle: app", "lifecycle: zoneform\n  foreign: adopt"])(
    "with %s, hits are left to the planner, who knows the live names",
    async (lifecycle) => {
      const loaded = sound(
        await loadZone(`custom_hostnames:
  ${lifecycle}
  exceptions: [{ match: { hostname: live.customer.net }, set: { ssl: { method: txt } } }]
`),
      );
      expect(loaded.desired.zones[0]?.hostnames.policies.map(({ isException }) => isException)).toEqual([true]);
    },
  );
});
