import { describe, expect, test } from "vitest";
import { planText } from "../../lib/report/plan.ts";
import { openRig, ZONE } from "../support/engine.ts";
import { certificate, type Pem } from "../support/x509.ts";
import { faults, loadZone, sound } from "../unit/config/project.ts";
import { said, wording } from "./said.ts";

const PEM = certificate({ subject: "a.customer.net", sans: ["a.customer.net"], issuer: ["Own", "Own CA"] });
const KEY_LINES = PEM.key.split("\n").filter((line) => line.length > 6 && !line.startsWith("-----"));

/** A zone of one hostname with a certificate and a key of these files. */
const OWN = `custom_hostnames:
  lifecycle: zoneform
  entries:
    - hostname: a.customer.net
      ssl: { method: http, type: dv, custom_certificate: { file: own.pem }, custom_key: { file: own.key } }
`;

describe("a key in a wrong place is found and not repeated", () => {
  const rule = (description: string): string =>
    `entry_points: ${JSON.stringify({ http_request_firewall_managed: { rules: [{ ref: "a", action: "skip", expression: "true", action_parameters: { ruleset: "current" }, description }] } })}\n`;

  test.each([
    ["in a description", rule(PEM.key)],
    ["in a description, with the lines of Windows", rule(PEM.key.replaceAll("\n", "\r\n"))],
    ["in a description, without its end", rule(PEM.key.slice(0, 200))],
    ["in a description, encrypted", rule("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIabc\n")],
    ["in a description, of another kind", rule("-----BEGIN EC PRIVATE KEY-----\nMIIabc\n")],
    [
      "in metadata",
      `custom_hostnames: { lifecycle: zoneform, entries: [{ hostname: a.customer.net, custom_metadata: { x: ${JSON.stringify(PEM.key)} } }] }\n`,
    ],
    ["in its own place, in the clear", OWN.replace("{ file: own.key }", JSON.stringify(PEM.key))],
  ])("%s", async (_case, body) => {
    const found = await loadZone(body, { "own.pem": PEM.certificate, "own.key": PEM.key });
    expect(said(found)).toContainEqual(expect.stringMatching(/^literal-secret /));
    expect(KEY_LINES.filter((line) => wording(found).includes(line))).toEqual([]);
  });
});

describe("a secret file", () => {
  test.each([
    ["with the lines of Windows", PEM.key.replaceAll("\n", "\r\n")],
    ["without an end of its last line", PEM.key.trimEnd()],
  ])("%s is used as it is, and never shown", async (_case, key) => {
    const loaded = sound(await loadZone(OWN, { "own.pem": PEM.certificate, "own.key": key }));
    expect([...loaded.secrets.values()].map((secret) => secret.reveal())).toContain(key);
    const shown = JSON.stringify(loaded.desired);
    expect(key.split(/\r?\n/).filter((line) => line.length > 6 && shown.includes(line))).toEqual([]);
  });

  test.each([
    [
      "that is encrypted",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIFHDBOBgkqhkiG9w0BBQ0w\n-----END ENCRYPTED PRIVATE KEY-----\n",
    ],
    ["that is no key at all", "just-some-text-of-somebody\n"],
  ])("%s is refused, and nothing of it is shown", async (_case, key) => {
    const found = await loadZone(OWN, { "own.pem": PEM.certificate, "own.key": key });
    expect(said(found)).toEqual([expect.stringMatching(/^key-unreadable 7:/)]);
    expect(key.split("\n").filter((line) => line.length > 6 && wording(found).includes(line))).toEqual([]);
  });

  test("of a megabyte is refused, and nothing of it is shown", async () => {
    const found = await loadZone(OWN, { "own.pem": PEM.certificate, "own.key": `${PEM.key}${"A".repeat(1_000_000)}` });
    expect(said(found)).toEqual([expect.stringMatching(/^secret-missing 7:/)]);
    expect(faults(found)[0]?.message).toMatch(/has 1\d{6} bytes/);
    expect(wording(found)).not.toContain("AAAA");
  });
});

test("text that looks like a variable stays as it is: values never expand the environment", async () => {
  const written = "${env:CLOUDFLARE_API_TOKEN} ${AWS_SECRET_ACCESS_KEY} $HOME {{ env.HOME }}";
  const env = { CLOUDFLARE_API_TOKEN: "c4nary-token-value", AWS_SECRET_ACCESS_KEY: "c4nary-other" };
  const body = `custom_hostnames: { lifecycle: zoneform, entries: [{ hostname: a.customer.net, custom_metadata: { x: ${JSON.stringify(written)} } }] }\n`;
  const loaded = sound(await loadZone(body, {}, { env }));
  expect(loaded.desired.zones[0]?.objects[0]?.values).toEqual({ custom_metadata: { x: written } });
  expect(JSON.stringify(loaded.desired)).not.toContain("c4nary");
});

describe("a plan that changes a secret", () => {
  /** The plan's text after the certificate and the key of a hostname that was applied became these. */
  async function textWith({ certificate, key }: Pem): Promise<string> {
    const ssl = { method: "http", type: "dv", custom_certificate: { env: "CERT" }, custom_key: { env: "KEY" } };
    const rig = openRig({
      files: {
        "zones/a.yaml": {
          version: 1,
          zone: ZONE,
          custom_hostnames: {
            lifecycle: "zoneform",
            ssl_updates: "always",
            entries: [{ hostname: "a.customer.net", ssl }],
          },
        },
      },
      env: { CERT: PEM.certificate, KEY: PEM.key },
    });
    await rig.run();
    Object.assign(rig.env, { CERT: certificate, KEY: key });
    const text = planText(await rig.plan(), { colour: false });
    return text.replace(/hash zf1:[0-9a-f]+/, "hash");
  }

  test("says that it changed, and shows neither its length nor any unchanged part", async () => {
    const names = { subject: "a.customer.net", sans: ["a.customer.net"], issuer: ["Own", "Own CA"] } as const;
    const other = await textWith(certificate({ ...names, keyType: "rsa" }));
    expect(other).toContain("(sensitive, changed)");
    const longer = certificate({
      ...names,
      sans: [...names.sans, ...Array.from({ length: 50 }, (_, at) => `b${at}.net`)],
    });
    expect(await textWith({ certificate: longer.certificate, key: `${PEM.key}${"\n".repeat(500)}` })).toBe(other);
    const { certificate: changed } = certificate({ ...names, notAfter: "2033-01-01T00:00:00Z" });
    expect(await textWith({ certificate: changed, key: `${PEM.key}\n` })).toBe(other);
  });
});
