import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { revealer } from "../../../lib/config/secrets.ts";
import { canonical } from "../../../lib/core/json.ts";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { certificate } from "../../support/x509.ts";
import { faults, loadZone, PROJECT, projectFolder, sound } from "./project.ts";

const OWN = certificate({ subject: "a.customer.net", issuer: ["Own", "CA"], sans: ["a.customer.net"] });
const PEM = OWN.key;
/** What gives a key away. */
const PART = PEM.split("\n")[1]?.slice(0, 24) ?? "";
const BODY = `custom_hostnames:
  lifecycle: zoneform
  entries:
    - hostname: a.customer.net
      custom_metadata: { env: production, file: none }
      ssl: { method: txt, custom_certificate: { file: secrets/a.pem }, custom_key: { env: A_KEY } }
`;

describe("secrets", () => {
  test("are read by reference and stand in no value of the project", async () => {
    const loaded = sound(await loadZone(BODY, { "secrets/a.pem": OWN.certificate }, { env: { A_KEY: PEM } }));
    expect(loaded.secrets.get(canonical({ env: "A_KEY" }))?.reveal()).toBe(PEM);
    expect(loaded.secrets.get(canonical({ file: "secrets/a.pem" }))?.reveal()).toBe(OWN.certificate);
    expect(loaded.secrets.size).toBe(2);
    expect(loaded.desired.zones[0]?.objects[0]?.values["ssl"]).toEqual({
      method: "txt",
      custom_certificate: { file: "secrets/a.pem" },
      custom_key: { env: "A_KEY" },
    });
    expect(JSON.stringify(loaded.desired) + inspect(loaded, { depth: 20 })).not.toContain(PART);
  });

  test("are known by their place: a cache key's custom_key is a map like any other", async () => {
    const rules = `entry_points:
  http_request_cache_settings:
    rules:
      - ref: ours/cache
        action: set_cache_settings
        expression: "true"
        action_parameters:
          cache: true
          cache_key:
            custom_key:
              query_string: { exclude: { list: [utm_source] } }
              header: { include: [file], check_presence: [env] }
              file: none.pem
`;
    const loaded = sound(await loadZone(rules));
    expect(loaded.secrets.size).toBe(0);
    expect(loaded.desired.zones[0]?.objects[0]?.values).toMatchObject({
      rules: [{ action_parameters: { cache_key: { custom_key: { header: { include: ["file"] } } } } }],
    });
  });

  test("are read in policies, in exceptions and in bundles", async () => {
    const pair = (name: string): string => `{ custom_certificate: { env: ${name}_C }, custom_key: { env: ${name}_K } }`;
    const body = `custom_hostnames:
  lifecycle: zoneform
  entries: [{ hostname: a.customer.net, ssl: { method: txt, custom_cert_bundle: [${pair("A")}] } }]
  policies: [{ name: b, set: { ssl: ${pair("B")} } }]
  exceptions: [{ match: { hostname: a.customer.net }, set: { ssl: ${pair("C")} } }]
`;
    const names = ["A", "B", "C"].flatMap((name) => [`${name}_C`, `${name}_K`]);
    const env = Object.fromEntries(names.map((name) => [name, `text of ${name}`]));
    const loaded = await loadZone(body, {}, { env: {} });
    const missing = faults(loaded).filter(({ code }) => code === "secret-missing");
    expect(new Set(missing.map(({ message }) => /variable (\S+)/.exec(message)?.[1]))).toEqual(new Set(names));
    expect(faults(await loadZone(body, {}, { env })).filter(({ code }) => code === "secret-missing")).toEqual([]);
  });

  test.each([
    ["custom_key: { env: A_KEY }", `custom_key: "${PEM.replaceAll("\n", "\\n")}"`],
    ["custom_key: { env: A_KEY }", "custom_key: Zm9vYmFyYmF6MTIzNDU2Nzg5MA"],
    ["method: txt", "method: Zm9vYmFyYmF6MTIzNDU2Nzg5MA"],
    ["file: secrets/a.pem", "file: [Zm9vYmFyYmF6MTIzNDU2Nzg5MA]"],
  ])("are not repeated by the error about a literal value (%#)", async (written, literal) => {
    const found = faults(
      await loadZone(BODY.replace(written, literal), { "secrets/a.pem": "x" }, { env: { A_KEY: "x" } }),
    );
    expect(found).not.toEqual([]);
    expect(JSON.stringify(found)).not.toContain(PART);
    expect(JSON.stringify(found)).not.toContain("Zm9vYmFy");
  });

  test("an upper reference replaces a lower one as a whole", async () => {
    const body = `${BODY}  exceptions: [{ match: { hostname: a.customer.net }, set: { ssl: { custom_key: { file: secrets/b.key } } } }]\n`;
    const files = { "secrets/a.pem": OWN.certificate, "secrets/b.key": PEM };
    const loaded = sound(await loadZone(body, files, { env: { A_KEY: PEM } }));
    expect(loaded.desired.zones[0]?.objects[0]?.values["ssl"]).toMatchObject({ custom_key: { file: "secrets/b.key" } });
  });
});

describe("revealing a secret when it is sent", () => {
  test("reads it again then", async () => {
    const folder = await projectFolder({ "zoneform.yaml": PROJECT, "secrets/a.key": "old" });
    const env: Record<string, string> = { A_KEY: "one" };
    const reveal = revealer({ env }, join(folder, "zoneform.yaml"));
    await writeFile(join(folder, "secrets/a.key"), "new");
    env["A_KEY"] = "two";
    expect(reveal({ file: "secrets/a.key" }).reveal()).toBe("new");
    expect(reveal({ env: "A_KEY" }).reveal()).toBe("two");
  });

  test.each([
    { env: "NONE" },
    { file: "none.key" },
    { file: "../outside.key" },
    { file: "/etc/hostname" },
    { file: "." },
  ])("refuses %j", async (reference) => {
    const folder = await projectFolder({ "project/zoneform.yaml": PROJECT, "outside.key": "secret" });
    const reveal = revealer({ env: {} }, join(folder, "project/zoneform.yaml"));
    expect(() => reveal(reference)).toThrow(Refusal);
  });
});
