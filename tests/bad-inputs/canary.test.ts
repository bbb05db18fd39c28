import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Emulator, startEmulator } from "../../lib/emulator.ts";
import { start } from "../support/command.ts";
import { temporaryFolder } from "../support/disk.ts";
import { certificate } from "../support/x509.ts";
import { filesBelow, type Printed, printedBy, sightings } from "./canaries.ts";
import { repeater } from "./repeater.ts";

const ZONE = "023e105f4ecef8ad9ca31a8372d0c353";
/** Characters that look otherwise in a URL and in JSON. */
const TOKEN = 'c4nary-token/with+odd="characters"&more';
const EMAIL = "c4nary.person+odd@canary-mail.net";
const KEY = 'c4nary-key\\"0123456789abcdef0123456789';

const pair = certificate({
  subject: "own.customer-one.net",
  sans: ["own.customer-one.net"],
  issuer: ["Own", "Own CA"],
});

/** The service refuses it for its signature, so that something fails for which a secret was sent. */
const weak = certificate({
  subject: "other.customer-one.net",
  sans: ["other.customer-one.net"],
  issuer: ["Own", "Own CA"],
  hash: "sha1",
});

/**
 * What nobody may ever see, by name. The certificate is public, but it is declared as a secret. The e-mail of a key is
 * none of them: it says who calls, and may stand in any description.
 */
const CANARIES = {
  token: TOKEN,
  key: KEY,
  "private key of a file": pair.key,
  certificate: pair.certificate,
  "private key of the environment": weak.key,
} as const;

const SECRET_FILES = ["secrets/own.pem", "secrets/own.key"];
const BY_TOKEN = { CLOUDFLARE_API_TOKEN: TOKEN };
const BY_KEY = { CLOUDFLARE_EMAIL: EMAIL, CLOUDFLARE_API_KEY: KEY };
const OF_THE_PROJECT = { OTHER_KEY: CANARIES["private key of the environment"], OTHER_CERTIFICATE: weak.certificate };

const ZONE_FILE = `version: 1
zone: { id: "${ZONE}", name: saas.dev }
fallback_origin: { origin: fallback.saas.dev }
custom_hostnames:
  lifecycle: zoneform
  entries:
    - hostname: own.customer-one.net
      custom_metadata: { note: "\${CLOUDFLARE_API_TOKEN} \${env:OTHER_KEY}" }
      ssl: { method: http, type: dv, custom_certificate: { file: secrets/own.pem }, custom_key: { file: secrets/own.key } }
    - hostname: other.customer-one.net
      ssl: { method: http, type: dv, custom_certificate: { env: OTHER_CERTIFICATE }, custom_key: { env: OTHER_KEY } }
    - hostname: plain.customer-one.net
      custom_metadata: { note: nothing }
      ssl: { method: http, type: dv }
`;

async function project(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "secrets"));
  await writeFile(join(folder, "zoneform.yaml"), "version: 1\nproject: canary\nzones: [a.yaml]\n");
  await writeFile(join(folder, "a.yaml"), ZONE_FILE);
  await writeFile(join(folder, "secrets/own.pem"), pair.certificate);
  // As Windows ends its lines, and without an end of the last one.
  await writeFile(join(folder, "secrets/own.key"), pair.key.trimEnd().replaceAll("\n", "\r\n"));
  return folder;
}

async function emulator(): Promise<Emulator> {
  const service = await startEmulator({
    clock: "manual",
    seed: {
      accounts: [{ issuance_per_minute: 300 }],
      tokens: [{ value: TOKEN }, { value: KEY, email: EMAIL }],
      zones: [
        {
          id: ZONE,
          name: "saas.dev",
          plan: "enterprise",
          dns_records: [{ type: "A", name: "fallback.saas.dev", content: "192.0.2.10", proxied: true }],
        },
      ],
    },
  });
  onTestFinished(() => service.close());
  return service;
}

/** Runs commands one after the other; gives all that they printed, each with its name. */
async function session(
  commands: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<(Printed & { readonly command: string })[]> {
  const all = [];
  for (const command of commands) all.push({ command, ...(await printedBy(command.split(" "), folder, env)) });
  return all;
}

async function expectNoSightings(folder: string, printed: readonly (Printed & { command: string })[]): Promise<void> {
  const files = await filesBelow(folder, SECRET_FILES);
  const seen = [
    ...printed.flatMap(({ command, text }) => sightings(CANARIES, text).map((what) => `${command}: ${what}`)),
    ...[...files].flatMap(([name, text]) => sightings(CANARIES, text).map((what) => `${name}: ${what}`)),
  ];
  expect(seen).toEqual([]);
}

describe("no secret appears", () => {
  test("in anything that a project's whole life prints and writes, with --debug", async () => {
    const [folder, service] = [await project(), await emulator()];
    const env = { ...BY_TOKEN, ...OF_THE_PROJECT, CLOUDFLARE_BASE_URL: service.url };
    const printed = await session(
      [
        "validate",
        "--debug plan --out plan.zfplan --report text=plan.txt --report json=plan.json --report markdown=plan.md " +
          "--report github=plan.github --report gitlab-terraform=counts.json --report terraform-json=terraform.json --report html=plan.html",
        "--debug apply --auto-approve --json --report text=applied.txt --report github=applied.github --report html=applied.html",
        "show plan.zfplan --format json",
        "--debug drift --json --report github=drift.github --report prometheus=drift.prom --report html=drift.html",
        'why custom_hostname["own.customer-one.net"]',
        'state show custom_hostname["own.customer-one.net"]',
        "export --format hcl --out edge.tf",
      ],
      folder,
      env,
    );
    // The certificate of one hostname has a weak signature, so that one of the three is refused.
    expect(JSON.parse(printed[2]?.text.split("\n> ")[0] ?? "")).toMatchObject({
      zones: [{ counts: { done: 3, failed: 1 } }],
    });
    // Somebody put the token into the dashboard, where it is a value like any other.
    const hostnames = `/zones/${ZONE}/custom_hostnames`;
    const { result } = JSON.parse(service.admin.dashboard("GET", `${hostnames}?hostname=plain.customer-one.net`).body);
    service.admin.dashboard("PATCH", `${hostnames}/${result[0].id}`, { custom_metadata: { note: TOKEN } });
    const again = [
      "plan --report text=again.txt --report json=again.json --report markdown=again.md --report terraform-json=again.tf.json",
      "drift",
      "plan --out again.zfplan",
    ];
    printed.push(...(await session(again, folder, env)));
    // Masked, a saved plan would be a damaged one: it is refused.
    expect(printed.at(-1)).toMatchObject({ code: 1 });
    expect(printed.at(-1)?.text).toContain("could not be read again if that were masked; nothing was written");
    expect(await readdir(folder)).not.toContain("again.zfplan");
    for (const name of ["again.txt", "again.json", "again.md", "again.tf.json"])
      expect(await readFile(join(folder, name), "utf8")).toMatch(/note[^]*\(sensitive\)[^]*/);
    // The run was a real one: the plan was shown, the secrets were sent, headers were traced.
    expect(printed[1]?.text).toContain("authorization: (sensitive)");
    expect(printed[1]?.text).toContain("own.customer-one.net");
    expect(await readFile(join(folder, "plan.txt"), "utf8")).toContain("(sensitive)");
    expect(service.requests.total()).toBeGreaterThan(10);
    await expectNoSightings(folder, printed);
  });

  test("in messages about a service that repeats everything it receives", async () => {
    const [folder, url] = [await project(), await repeater()];
    const commands = ["--debug plan --report json=plan.json", "drift --json --against config"];
    const printed = [
      ...(await session(commands, folder, { ...BY_TOKEN, ...OF_THE_PROJECT, CLOUDFLARE_BASE_URL: url })),
      ...(await session(commands, folder, { ...BY_KEY, ...OF_THE_PROJECT, CLOUDFLARE_BASE_URL: url })),
    ];
    for (const { code, text } of printed) {
      expect(code).toBe(1);
      expect(text).toContain("(sensitive)");
    }
    await expectNoSightings(folder, printed);
  });

  test("in messages about a service that repeats the keys of requests", async () => {
    const [folder, service] = [await project(), await emulator()];
    const env = { ...BY_TOKEN, ...OF_THE_PROJECT, CLOUDFLARE_BASE_URL: await repeater(service.url) };
    const printed = await session(["--debug apply --auto-approve", "apply --auto-approve --json"], folder, env);
    for (const { code, text } of printed) {
      expect(code).not.toBe(0);
      expect(text).toContain("(sensitive)");
      expect(text).toMatch(/custom_key/);
    }
    await expectNoSightings(folder, printed);
    // Not even the beginning of a line of a key, where a message was cut.
    const beginnings = pair.key
      .split("\n")
      .flatMap((line) => (line.startsWith("-----") || line === "" ? [] : [line.slice(0, 12)]));
    expect(beginnings.filter((beginning) => printed.some(({ text }) => text.includes(beginning)))).toEqual([]);
  });

  test("in an error about the secret itself, or about where to send it", async () => {
    const folder = await project();
    const bad = { ...OF_THE_PROJECT, CLOUDFLARE_BASE_URL: `https://user:${KEY.replace(/\W/g, "")}@api.example` };
    const printed = [
      ...(await session(["--debug plan"], folder, { ...BY_TOKEN, ...bad })),
      ...(await session(["--debug plan"], folder, { CLOUDFLARE_API_TOKEN: `${TOKEN}\n`, ...OF_THE_PROJECT })),
      ...(await session(["--debug plan"], folder, { CLOUDFLARE_API_TOKEN: `Bearer ${TOKEN}`, ...OF_THE_PROJECT })),
      ...(await session(["--debug plan"], folder, { ...BY_TOKEN, ...BY_KEY, ...OF_THE_PROJECT })),
      // As a value on the command line, where commander repeats what it does not know.
      ...(await session([`--debug plan --${TOKEN}`], folder, { ...BY_TOKEN, ...OF_THE_PROJECT })),
    ];
    for (const { code } of printed) expect(code).toBe(1);
    await expectNoSightings(folder, printed);
  });

  test.each(["throw fault", "void Promise.reject(fault)"])("in the message of a crash: %s", async (crash) => {
    const [folder, service] = [await project(), await emulator()];
    // Falls as soon as the command is up, in a place where nobody catches it.
    const hook = `const fault = new Error("sent " + process.env.CLOUDFLARE_API_TOKEN, { cause: process.env.OTHER_KEY });
      const timer = setInterval(() => {
        if (process.listenerCount("uncaughtException") === 0) return;
        clearInterval(timer);
        ${crash};
      }, 1);`;
    const env = {
      ...BY_TOKEN,
      ...OF_THE_PROJECT,
      CLOUDFLARE_BASE_URL: service.url,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    };
    const printed = await session(["plan", "--debug plan"], folder, env);
    for (const { code, text } of printed) {
      expect(code).toBe(1);
      expect(text).toContain("unexpected failure");
      expect(text).toContain("sent (sensitive)");
    }
    expect(printed[0]?.text).not.toMatch(/\n\s+at /);
    await expectNoSightings(folder, printed);
  });

  test("in anything that a killed run leaves behind", async () => {
    const [folder, service] = [await project(), await emulator()];
    const env = { ...BY_TOKEN, ...OF_THE_PROJECT, CLOUDFLARE_BASE_URL: service.url };
    const running = start(["apply", "--auto-approve", "--parallelism", "1"], { cwd: folder, env });
    await running.said("created (1/");
    running.kill("SIGKILL");
    const { stdout, stderr } = await running.ended;
    await expectNoSightings(folder, [{ command: "apply, killed", code: null, text: stdout + stderr }]);
  });

  test("in an error about a secret that the YAML contains in clear text", async () => {
    const folder = await project();
    await cp(join(folder, "a.yaml"), join(folder, "b.yaml"));
    await writeFile(join(folder, "a.yaml"), `${ZONE_FILE}# ${JSON.stringify(TOKEN)} ${TOKEN}\n`);
    const [printed] = await session(["validate --format json"], folder, { ...BY_TOKEN, ...OF_THE_PROJECT });
    expect(JSON.parse((printed?.text ?? "").trim())).toMatchObject({
      diagnostics: [
        expect.objectContaining({
          code: "literal-secret",
          at: { file: "a.yaml", line: 15, column: expect.any(Number) },
        }),
      ],
    });
    expect(sightings(CANARIES, printed?.text ?? "")).toEqual([]);
  });
});

test("the search for canaries finds them in every form, so finding none proves that none is there", () => {
  for (const text of [
    TOKEN,
    JSON.stringify(TOKEN),
    encodeURIComponent(TOKEN),
    Buffer.from(`a:${TOKEN}`).toString("base64"),
    Buffer.from(`ab:${TOKEN}`).toString("base64"),
    Buffer.from(TOKEN).toString("base64"),
    pair.key.split("\n")[2] ?? "",
  ]) {
    expect(sightings(CANARIES, `before ${text} after`)).not.toEqual([]);
  }
});
