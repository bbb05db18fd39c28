import type { ProjectFiles } from "../unit/config/project.ts";

/** A typical mistake of somebody who is new to Zoneform. */
export interface Mistake {
  readonly title: string;
  /** What differs from the sound project; null removes a file. */
  readonly files: Readonly<Record<string, string | Uint8Array | null>>;
  /** The command that meets it; `validate` where nothing is said. */
  readonly command?: readonly string[];
  /** The environment, where it differs. */
  readonly env?: Readonly<Record<string, string>>;
  /** The code of each error and warning, in the order in which they are printed. */
  readonly codes: readonly string[];
}

const PROJECT = `version: 1
project: edge
zones: [zones/*.yaml]
sources:
  customers:
    csv: data/customers.csv
    fields: { hostname: domain, custom_origin_server: pool }
`;

const CUSTOMERS = `domain,pool
www.birch-bakery.com,
shop.cedar-books.com,pool-2.acorn.dev
`;

const ZONE = `version: 1
zone: { id: "023e105f4ecef8ad9ca31a8372d0c353", name: acorn.dev }
use: [../layers/tls.yaml]
fallback_origin: { origin: fallback.acorn.dev }
custom_hostnames:
  lifecycle: zoneform
  entries:
    - hostname: shop.acorn-co.com
  from: [{ source: customers }]
`;

const LAYER = `version: 1
custom_hostnames:
  policies:
    - name: baseline
      set: { ssl: { type: dv, method: http, settings: { min_tls_version: "1.2" } } }
`;

const RULES = `entry_points:
  http_request_firewall_managed:
    rules:
      - ref: managed
        action: execute
        expression: "true"
        action_parameters: { id: cloudflare_managed }
`;

/** A project in which nothing is wrong. */
export const SOUND: ProjectFiles = {
  "zoneform.yaml": PROJECT,
  "data/customers.csv": CUSTOMERS,
  "zones/acorn.yaml": ZONE,
  "layers/tls.yaml": LAYER,
};

const MAPLE = ZONE.replace("023e105f4ecef8ad9ca31a8372d0c353", "9a7806061c88ada191ed06f989cc3dac")
  .replaceAll("acorn.dev", "maple.dev")
  .replace("    - hostname: shop.acorn-co.com\n", "    - hostname: shop.elm-shoes.com\n")
  .replace("  from: [{ source: customers }]\n", "");

const OAK = MAPLE.replace("9a7806061c88ada191ed06f989cc3dac", "3f0a9c1d2e4b5a6978877665544332aa")
  .replaceAll("maple.dev", "oak.dev")
  .replace("shop.elm-shoes.com", "shop.oak-tea.com");

const zone = (from: string, to: string): Mistake["files"] => ({ "zones/acorn.yaml": changed(ZONE, from, to) });
const rules = (from: string, to: string): Mistake["files"] => ({
  "zones/acorn.yaml": ZONE + changed(RULES, from, to),
});
const project = (from: string, to: string): Mistake["files"] => ({ "zoneform.yaml": changed(PROJECT, from, to) });
const layer = (from: string, to: string): Mistake["files"] => ({ "layers/tls.yaml": changed(LAYER, from, to) });
/** The customers in a file of NDJSON. */
const customersAsJson: Mistake["files"] = {
  "zoneform.yaml": PROJECT.replace("csv: data/customers.csv", "ndjson: data/customers.json"),
};
const customers = (csv: string | Uint8Array): Mistake["files"] => ({ "data/customers.csv": csv });
const twoZones = { "zones/maple.yaml": MAPLE };

function changed(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the sound project has no ${JSON.stringify(from)}`);
  return text.replace(from, () => to);
}

/** The zone's id in the sound project. */
const ID = '"023e105f4ecef8ad9ca31a8372d0c353"';
const ENTRY = "    - hostname: shop.acorn-co.com\n";
const SET = 'set: { ssl: { type: dv, method: http, settings: { min_tls_version: "1.2" } } }';
/** Nothing listens there: what comes so far as to call the service would say so. */
const PLAN = ["plan", "--api-url", "http://127.0.0.1:9"];

/** In the order in which somebody meets them. */
export const MISTAKES: readonly Mistake[] = [
  // Where the command looks.
  { title: "the command runs in another folder", files: { "zoneform.yaml": null }, codes: ["file-not-found"] },
  {
    title: "--config names the folder, not the file",
    files: {},
    command: ["validate", "--config", "zones"],
    codes: ["not-a-file"],
  },
  { title: "no token is set", files: {}, command: ["plan"], env: {}, codes: ["no-credential"] },
  {
    title: "--zone is misspelt",
    files: twoZones,
    command: ["validate", "--zone", "acron.dev"],
    codes: ["unknown-zone"],
  },
  // The zone.
  { title: "the zone id is the placeholder of a tutorial", files: zone(ID, '"YOUR ZONE ID"'), codes: ["wrong-length"] },
  {
    title: "the zone id lost its last digit",
    files: zone(ID, '"023e105f4ecef8ad9ca31a8372d0c35"'),
    codes: ["wrong-length"],
  },
  {
    title: "the zone id was typed, with the letter o for a zero",
    files: zone(ID, '"o23e105f4ecef8ad9ca31a8372d0c353"'),
    codes: ["malformed-value"],
  },
  {
    title: "the zone id is in upper case",
    files: zone(ID, '"023E105F4ECEF8AD9CA31A8372D0C353"'),
    codes: ["malformed-value"],
  },
  { title: "the zone id is the zone's name", files: zone(ID, "acorn.dev"), codes: ["wrong-length"] },
  { title: "the zone id is empty", files: zone(ID, '""'), codes: ["empty-value"] },
  {
    title: "the zone id has only digits and no quotes",
    files: zone(ID, "02310554888931837203532123456789"),
    codes: ["unquoted-id"],
  },
  {
    title: "the zone's name is a URL",
    files: zone("name: acorn.dev", "name: https://acorn.dev/"),
    codes: ["malformed-value"],
  },
  {
    title: "a zone file does not say its zone",
    files: zone(`zone: { id: ${ID}, name: acorn.dev }\n`, ""),
    codes: ["missing-zone"],
  },
  {
    title: "a copied zone file keeps its zone",
    files: { "zones/copy.yaml": ZONE },
    codes: ["duplicate-zone"],
  },
  // YAML.
  { title: "the version is missing", files: zone("version: 1\n", ""), codes: ["missing-key"] },
  { title: "the version is another one", files: zone("version: 1", "version: 2"), codes: ["unknown-value"] },
  {
    title: "the entries are indented less than their key",
    files: zone(`  entries:\n${ENTRY}`, "  entries:\n - hostname: shop.acorn-co.com\n"),
    codes: ["yaml-syntax"],
  },
  {
    title: "a key is indented more than its neighbours",
    files: zone("  lifecycle: zoneform\n  entries:", "  lifecycle: zoneform\n    entries:"),
    codes: ["yaml-syntax"],
  },
  {
    title: "a key of a list item is indented less than its neighbour",
    files: zone(ENTRY, `${ENTRY}     protect: true\n`),
    codes: ["yaml-syntax"],
  },
  { title: "a tab indents a line", files: zone("  lifecycle: zoneform", "\tlifecycle: zoneform"), codes: ["yaml-tab"] },
  {
    title: "a key is written twice",
    files: zone("fallback_origin:", "fallback_origin: { origin: old.acorn.dev }\nfallback_origin:"),
    codes: ["duplicate-key"],
  },
  {
    title: "a wildcard has no quotes",
    files: zone("hostname: shop.acorn-co.com", "hostname: *.acorn-co.com"),
    codes: ["unquoted-asterisk"],
  },
  { title: "a value begins with @", files: zone("fallback.acorn.dev }", "@ }"), codes: ["yaml-syntax"] },
  {
    title: "a value begins with %",
    files: zone("hostname: shop.acorn-co.com", "hostname: %CUSTOMER%"),
    codes: ["yaml-syntax"],
  },
  {
    title: "an expression has a colon and no quotes",
    files: rules('"true"', 'http.referer contains "https://acorn.dev" or http.host eq "a: b"'),
    codes: ["yaml-syntax"],
  },
  {
    title: "an expression begins with a quote that YAML takes for its own",
    files: rules('"true"', '"a" in http.request.uri.args.names'),
    codes: ["yaml-syntax"],
  },
  { title: "a bracket is not closed", files: project("[zones/*.yaml]", "[zones/*.yaml"), codes: ["yaml-syntax"] },
  { title: "a quote is not closed", files: zone(ID, ID.slice(0, -1)), codes: ["yaml-syntax"] },
  {
    title: "a colon has no blank behind it",
    files: zone("  lifecycle: zoneform", "  lifecycle:zoneform"),
    codes: ["yaml-syntax"],
  },
  {
    title: "two zones are in one file",
    files: { "zones/acorn.yaml": `${ZONE}---\n${MAPLE}` },
    codes: ["several-documents"],
  },
  {
    title: "the file holds Terraform's language",
    files: {
      "zones/acorn.yaml": 'resource "cloudflare_custom_hostname" "shop" {\n  hostname = "shop.acorn-co.com"\n}\n',
    },
    codes: ["not-a-map"],
  },
  // Keys and shapes.
  {
    title: "a section is misspelt",
    files: zone("custom_hostnames:", "custom_hostname:"),
    codes: ["unknown-key"],
  },
  {
    title: "a key of the provider is used",
    files: zone(ENTRY, `${ENTRY}      zone_id: acorn\n`),
    codes: ["unknown-key"],
  },
  {
    title: "a nested key is written with dots",
    files: zone(ENTRY, `${ENTRY}      ssl.method: txt\n`),
    codes: ["unknown-key"],
  },
  {
    title: "entries is a map",
    files: zone(ENTRY, "      shop.acorn-co.com: { ssl: { method: http } }\n"),
    codes: ["wrong-type"],
  },
  { title: "an entry is only a name", files: zone(ENTRY, "    - shop.acorn-co.com\n"), codes: ["wrong-type"] },
  { title: "zones is a text", files: project("[zones/*.yaml]", "zones/*.yaml"), codes: ["wrong-type"] },
  {
    title: "the fallback origin is a text",
    files: zone("{ origin: fallback.acorn.dev }", "fallback.acorn.dev"),
    codes: ["wrong-type"],
  },
  { title: "use is a text", files: zone("[../layers/tls.yaml]", "../layers/tls.yaml"), codes: ["wrong-type"] },
  {
    title: "a policy has no name and sets nothing",
    files: layer(`    - name: baseline\n      ${SET}\n`, '    - match: { hostname: "*.com" }\n'),
    codes: ["missing-key", "missing-key"],
  },
  { title: "a TLS version has no quotes", files: layer('"1.2"', "1.2"), codes: ["wrong-type"] },
  { title: "a switch is true", files: layer('min_tls_version: "1.2"', "http2: true"), codes: ["wrong-type"] },
  { title: "a boolean is yes", files: zone(ENTRY, `${ENTRY}      protect: yes\n`), codes: ["wrong-type"] },
  {
    title: "a CA is spelt as its maker spells it",
    files: layer("type: dv", "type: dv, certificate_authority: Let's Encrypt"),
    codes: ["unknown-value"],
  },
  { title: "the validation method is dns", files: layer("method: http", "method: dns"), codes: ["unknown-value"] },
  {
    title: "the budget has no percent sign",
    files: project("sources:", "budget: { api: 50 }\nsources:"),
    codes: ["wrong-type"],
  },
  {
    title: "the API token stands in the project file",
    files: project("sources:", 'api_token: "not-a-real-token"\nsources:'),
    codes: ["endpoint-or-credential"],
  },
  // Hostnames.
  { title: "nothing says the lifecycle", files: zone("  lifecycle: zoneform\n", ""), codes: ["missing-lifecycle"] },
  {
    title: "entries with lifecycle: app",
    files: zone("lifecycle: zoneform", "lifecycle: app"),
    codes: ["declared-with-app", "declared-with-app"],
  },
  { title: "ssl without a method", files: layer(" method: http,", ""), codes: ["ssl-method-missing"] },
  {
    title: "a hostname is longer than 64 characters",
    files: zone("shop.acorn-co.com", "a-very-long-name-for-a-shop-that-sells-acorns-and-more.customer-number-one.com"),
    codes: ["hostname-needs-branding"],
  },
  {
    title: "a hostname is a URL",
    files: zone("shop.acorn-co.com", "https://shop.acorn-co.com/"),
    codes: ["hostname-invalid"],
  },
  {
    title: "a hostname has a port",
    files: zone("shop.acorn-co.com", "shop.acorn-co.com:443"),
    codes: ["hostname-invalid"],
  },
  {
    title: "a hostname is an IP address",
    files: zone("shop.acorn-co.com", "203.0.113.7"),
    codes: ["hostname-is-address"],
  },
  {
    title: "a hostname is declared twice",
    files: zone(ENTRY, `${ENTRY}    - hostname: www.birch-bakery.com\n`),
    codes: ["duplicate-hostname"],
  },
  {
    title: "a hostname is declared in two zones",
    files: { "zones/maple.yaml": changed(MAPLE, "shop.elm-shoes.com", "shop.acorn-co.com") },
    codes: ["duplicate-hostname"],
  },
  {
    title: "a wildcard is validated by http",
    files: zone("shop.acorn-co.com", '"*.acorn-co.com"'),
    codes: ["wildcard-needs-txt", "wildcard-settings"],
  },
  {
    title: "the fallback origin is outside the zone",
    files: zone("fallback.acorn.dev", "fallback.example.org"),
    codes: ["origin-outside-zone"],
  },
  {
    title: "the fallback origin is a URL",
    files: zone("fallback.acorn.dev", "https://fallback.acorn.dev"),
    codes: ["origin-invalid"],
  },
  {
    title: "an exception matches no hostname",
    files: zone(
      "  from:",
      "  exceptions:\n    - match: { hostname: shop.acron-co.com }\n      set: { ssl: { method: txt } }\n  from:",
    ),
    codes: ["exception-without-hit"],
  },
  {
    title: "a policy looks at a misspelt field, and matches no hostname",
    files: zone(
      "    - hostname: shop.acorn-co.com\n",
      '    - { hostname: shop.acorn-co.com, custom_metadata: { tier: gold } }\n  policies:\n    - name: gold\n      match: { metadata.teir: gold }\n      set: { ssl: { settings: { min_tls_version: "1.3" } } }\n',
    ),
    codes: ["policy-without-hit"],
  },
  {
    title: "an exception lowers TLS and does not say why, or until when",
    files: zone(
      "  from:",
      '  exceptions:\n    - match: { hostname: shop.acorn-co.com }\n      set: { ssl: { settings: { min_tls_version: "1.0" } } }\n  from:',
    ),
    codes: ["exception-unexplained"],
  },
  {
    title: "a rule whose ref has none of the prefixes of own",
    files: rules("    rules:", "    own: [sec/]\n    rules:"),
    codes: ["ref-outside-own"],
  },
  {
    title: "an exception ends on a date in another notation",
    files: zone(
      "  from:",
      "  exceptions:\n    - match: { hostname: shop.acorn-co.com }\n      set: { ssl: { method: txt } }\n      until: 31.03.2027\n  from:",
    ),
    codes: ["malformed-value"],
  },
  {
    title: "a policy looks at the status",
    files: layer("      set:", "      match: { status: active }\n      set:"),
    codes: ["unstable-fact"],
  },
  {
    title: "a policy looks at a label that nothing gives",
    files: layer("      set:", "      match: { label.region: eu }\n      set:"),
    codes: ["unknown-label"],
  },
  // Files.
  {
    title: "the pattern of zones matches nothing",
    files: project("zones/*.yaml", "zones/*.yml"),
    codes: ["file-not-found"],
  },
  { title: "the path of a layer is misspelt", files: zone("tls.yaml", "tsl.yaml"), codes: ["file-not-found"] },
  {
    title: "a layer that three zones share has a mistake",
    files: { ...twoZones, "zones/oak.yaml": OAK, ...layer("method: http", "method: dns") },
    codes: ["unknown-value"],
  },
  {
    title: "a layer that two zones share lacks the validation method",
    files: { ...twoZones, ...layer(" method: http,", "") },
    codes: ["ssl-method-missing"],
  },
  { title: "the CSV file is not there", files: { "data/customers.csv": null }, codes: ["file-not-found"] },
  { title: "the CSV has semicolons", files: customers(CUSTOMERS.replaceAll(",", ";")), codes: ["wrong-delimiter"] },
  { title: "the CSV has tabs", files: customers(CUSTOMERS.replaceAll(",", "\t")), codes: ["wrong-delimiter"] },
  {
    title: "a column of the CSV is named otherwise",
    files: customers(CUSTOMERS.replace("domain", "domains")),
    codes: ["unknown-column"],
  },
  {
    title: "the CSV has no header",
    files: customers(CUSTOMERS.replace("domain,pool\n", "")),
    codes: ["unknown-column"],
  },
  { title: "the CSV has only its header", files: customers("domain,pool\n"), codes: ["source-empty"] },
  {
    title: "the last line of the CSV does not end",
    files: customers(CUSTOMERS.trimEnd()),
    codes: ["source-cut-short"],
  },
  {
    title: "a cell of the CSV has a comma and no quotes",
    files: customers(CUSTOMERS.replace("bakery.com,", "bakery.com,pool-1.acorn.dev, old")),
    codes: ["wrong-cell-count"],
  },
  {
    title: "the CSV is not UTF-8",
    files: customers(Buffer.from(`${CUSTOMERS}caf\xe9.com,\n`, "latin1")),
    codes: ["invalid-utf8"],
  },
  {
    title: "a row has no hostname",
    files: customers(`${CUSTOMERS},pool-2.acorn.dev\n`),
    codes: ["row-without-hostname"],
  },
  {
    title: "from names a source that is not there",
    files: zone("source: customers", "source: customer"),
    codes: ["unknown-source"],
  },
  // Secrets.
  {
    title: "a private key stands in the file",
    files: zone(ENTRY, `${ENTRY}      ssl: { custom_key: hunter2hunter2 }\n`),
    codes: ["literal-secret"],
  },
  {
    title: "the variable of a secret is not set",
    files: zone(
      ENTRY,
      `${ENTRY}      ssl: { custom_certificate: { env: SHOP_CERT }, custom_key: { env: SHOP_KEY } }\n`,
    ),
    codes: ["secret-missing", "secret-missing"],
  },
  // Rules.
  { title: "the phase is misspelt", files: rules("firewall_managed", "firewall_manage"), codes: ["unknown-key"] },
  {
    title: "the action of a rule is another tool's",
    files: rules("action: execute", "action: deny"),
    codes: ["unknown-value"],
  },
  { title: "a rule has no ref", files: rules("ref: managed\n        action", "action"), codes: ["missing-key"] },
  {
    title: "a managed ruleset is misspelt",
    files: rules("cloudflare_managed", "cloudflare_mangaed"),
    codes: ["unknown-ruleset"],
  },
  {
    title: "a rule blocks in the phase of managed rulesets",
    files: rules("action: execute", "action: block"),
    codes: ["action-not-in-phase"],
  },
  {
    title: "a skip stands after what it should skip",
    files: {
      "zones/acorn.yaml": `${ZONE}${RULES}      - ref: skip-upload
        action: skip
        expression: starts_with(http.request.uri.path, "/upload")
        action_parameters: { rulesets: [cloudflare_managed] }
`,
    },
    codes: ["skip-after-execute"],
  },
  {
    title: "a line of 10 MB in YAML",
    files: { "zones/acorn.yaml": ZONE.replace("shop.acorn-co", "x".repeat(10_000_000)) },
    codes: ["too-long"],
  },
  {
    title: "a line of 10 MB in CSV",
    files: customers(`${CUSTOMERS}${"x".repeat(10_000_000)},\n`),
    codes: ["csv-record-too-long"],
  },
  {
    title: "a line of 10 MB in NDJSON",
    files: {
      ...customersAsJson,
      "data/customers.json": `{"domain":"a.cedar.com","pool":null}\n{"domain":"${"x".repeat(10_000_000)}"}\n`,
    },
    codes: ["ndjson-line-too-long"],
  },
  {
    title: "a key twice in a row of NDJSON",
    files: {
      ...customersAsJson,
      "data/customers.json": `{"domain":"a.cedar.com","pool":null}\n{"domain":"b.cedar.com", "domain":"c.cedar.com"}\n`,
    },
    codes: ["duplicate-key"],
  },
  {
    title: "ciphers together with TLS 1.3",
    files: {
      "layers/tls.yaml": LAYER.replace(
        '{ min_tls_version: "1.2" }',
        '{ min_tls_version: "1.3", ciphers: [ECDHE-RSA-AES128-GCM-SHA256] }',
      ),
    },
    codes: ["ciphers-with-tls-1.3"],
  },
  // Several at once.
  {
    title: "mistakes of every sort in one file",
    files: {
      "zones/acorn.yaml": `version: 1
zone: { id: "023e105f4ecef8ad9ca31a8372d0c353", name: acorn.dev }
fallback_origin: { origin: fallback.example.org }
custom_hostnames:
  lifecycle: zoneform
  foriegn: report
  entries:
    - { hostname: a-very-long-name-for-a-shop-that-sells-acorns-and-more.customer-number-one.com, ssl: { method: http } }
    - { hostname: shop.acorn-co.com, ssl: { type: dv } }
    - { hostname: www.acorn-co.com, ssl: { method: dns } }
total_tls: { certificate_authority: google }
`,
    },
    codes: [
      "origin-outside-zone",
      "unknown-key",
      "hostname-needs-branding",
      "ssl-method-missing",
      "unknown-value",
      "missing-key",
    ],
  },
  // Addresses.
  {
    title: "why asks for a misspelt hostname",
    files: twoZones,
    command: ["why", "shop.acron-co.com", "--api-url", "http://127.0.0.1:9"],
    codes: ["ambiguous-address"],
  },
  {
    title: "--target names a kind that is not there",
    files: {},
    command: [...PLAN, "--target", 'custom_hostnames["shop.acorn-co.com"]'],
    codes: ["not-an-address"],
  },
];
