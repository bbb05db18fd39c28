import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../lib/core/json.ts";
import { kindNamed } from "../../../lib/kinds/registry.ts";
import { type Given, known, liveHostname, onlyChange, policy, wanted } from "./inputs.ts";

const NAME = "app.customer.net";
const TXT = { ssl: { method: "txt" } };
const WILD = { ssl: { method: "txt", wildcard: true } };
const TLS = { ssl: { settings: { min_tls_version: "1.2" } } };

it("a wildcard may have metadata", () => {
  const desired = { ...WILD, custom_metadata: { tier: "gold" } };
  expect(kindNamed("custom_hostname").problems(NAME, desired)).toEqual([]);
});

describe("what the service refuses of a wildcard is found before the call", () => {
  it.each<[string, Given]>([
    [
      "by a policy over a hostname of the application",
      {
        hostnames: { lifecycle: "app", policies: [policy(TLS)] },
        known: [known("custom_hostname", NAME, {}, { undeclared: true })],
        live: [liveHostname(NAME, WILD)],
      },
    ],
    [
      "by an entry that says nothing of the wildcard",
      {
        objects: [wanted("custom_hostname", NAME, { ssl: { ...TXT.ssl, ...TLS.ssl } })],
        known: [known("custom_hostname", NAME, TXT)],
        live: [liveHostname(NAME, WILD)],
      },
    ],
  ])("TLS settings where live is a wildcard: %s", (_what, given) => {
    expect(onlyChange(given).refused?.code).toBe("wildcard-settings");
  });

  it("and nothing else of such a hostname is refused", () => {
    const given: Given = {
      objects: [wanted("custom_hostname", NAME, { ...TXT, custom_origin_server: "a.saas.net" })],
      known: [known("custom_hostname", NAME, TXT)],
      live: [liveHostname(NAME, WILD)],
    };
    expect(onlyChange(given).refused).toBeUndefined();
  });
});

describe("a minimum of TLS 1.3 over ciphers that are only live", () => {
  const CIPHERS = { settings: { ciphers: ["ECDHE-RSA-AES128-GCM-SHA256"], min_tls_version: "1.2" } };
  const over = (ssl: JsonObject): Given => ({
    objects: [wanted("custom_hostname", NAME, { ssl: { ...TXT.ssl, settings: { min_tls_version: "1.3" } } })],
    known: [known("custom_hostname", NAME, TXT)],
    live: [liveHostname(NAME, { ssl: { ...TXT.ssl, ...ssl } })],
  });

  it("is blocked in the plan, with a remedy that names no key of the YAML", () => {
    const { refused } = onlyChange(over(CIPHERS));
    expect(refused?.code).toBe("ciphers-with-tls-1.3");
    expect(refused?.remedy).toMatch(/^remove its ciphers in the dashboard/);
  });

  it("is planned where live has none", () => {
    expect(onlyChange(over({ settings: { min_tls_version: "1.2" } })).refused).toBeUndefined();
  });
});

describe("an uploaded certificate", () => {
  const UPLOAD = { method: "txt", custom_certificate: { env: "C" }, custom_key: { env: "K" } };

  it("needs no validation method", () => {
    const { method: _method, ...ssl } = UPLOAD;
    expect(kindNamed("custom_hostname").problems(NAME, { ssl })).toEqual([]);
  });

  it("waits for no record of the customer, and an edit of it has nothing issued", () => {
    const created = onlyChange({ objects: [wanted("custom_hostname", NAME, { ssl: UPLOAD })] });
    expect(created.hazards).not.toContain("needs-customer");
    const kind = kindNamed("custom_hostname");
    const leaf = { path: ["ssl", "custom_certificate"], after: "new", cause: "config" } as const;
    expect(kind.cost("update", [leaf]).issuances).toBe(0);
  });
});
