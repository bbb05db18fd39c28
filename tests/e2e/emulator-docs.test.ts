import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createService, type Emulator, parseSeed, startEmulator } from "../../lib/emulator.ts";
import { FAULT_KINDS } from "../../lib/emulator/faults.ts";
import { adminRoutes } from "../../lib/emulator/admin/routes.ts";
import { createApiRouter } from "../../lib/emulator/router.ts";
import { apiRoutes } from "../../lib/emulator/routes.ts";
import { ROOT, run, start } from "../support/command.ts";
import { temporaryFolder } from "../support/disk.ts";
import { pluginsFor } from "../support/terraform.ts";

const execute = promisify(execFile);
const PAGE = readFileSync(join(ROOT, "docs/emulator.md"), "utf8");

/** One fenced block of the page. */
interface Block {
  readonly language: string;
  readonly text: string;
  /** From its first line, `# NAME` or `// NAME`. */
  readonly file: string;
}

const BLOCKS: readonly Block[] = [...PAGE.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language = "", text = ""]) => {
  const [, file = ""] = /^(?:#|\/\/) (\S+\.\w+)\n/.exec(text) ?? [];
  return { language, text, file };
});

/** The one emulator that the calls of the page are sent to, in their order. */
let emulator: Emulator;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  const start = /zoneform emulator --clock-rate (\S+) --start-time (\S+)/.exec(PAGE);
  emulator = await startEmulator({ clockRate: Number(start?.[1]), startTime: start?.[2] ?? "" });
  folder = await mkdtemp(join(tmpdir(), "zoneform-emulator-docs-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules/zoneform"));
  symlinkSync(join(ROOT, "node_modules/cloudflare"), join(folder, "node_modules/cloudflare"));
  for (const { file, text } of BLOCKS) if (file !== "") await writeFile(join(folder, file), text);
  const exported = [...PAGE.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name = "", value = ""]) => [
    name,
    value.replace("http://127.0.0.1:8787", new URL(emulator.url).origin),
  ]);
  const wanted = ["CLOUDFLARE_BASE_URL", "CLOUDFLARE_API_TOKEN", "ADMIN", "ZONE"];
  // The first of each is the one of the session; Terraform's token comes later.
  const first = new Map(
    exported
      .toReversed()
      .filter(([name = ""]) => wanted.includes(name))
      .map(([name = "", value = ""]) => [name, value]),
  );
  expect([...first.keys()].toSorted()).toEqual(wanted.toSorted());
  env = { PATH: process.env["PATH"] ?? "", ...Object.fromEntries(first) };
});

afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

describe("docs/emulator.md", () => {
  test("shows the emulator's response to each call, and what each program prints", async () => {
    const calls = BLOCKS.filter(({ language }) => language === "sh");
    expect(calls.length).toBeGreaterThan(25);
    for (const [index, { language, text, file }] of BLOCKS.entries()) {
      const printed = language === "sh" ? await shell(text) : language === "js" ? await program(file) : undefined;
      // Between a program and what it prints is how to start it.
      const next = BLOCKS[language === "js" ? index + 2 : index + 1];
      if (printed === undefined) continue;
      if (next?.language === "json")
        expect([text, shortened(JSON.parse(printed), JSON.parse(next.text))]).toEqual([text, JSON.parse(next.text)]);
      else if (next?.language === "text") expect([text, printed]).toEqual([text, next.text]);
      else expect([text, count(printed, '"success":true')]).toEqual([text, count(text, "curl ")]);
    }
  });

  test("has an example of every call of the admin API, and a row in its table", () => {
    const { core } = createService();
    const all = adminRoutes(core, createApiRouter(apiRoutes()), () => undefined).map(
      ({ method, path }) => `${method} ${path}`,
    );
    const rows = tableAfter("## The admin API").flatMap(([call = ""]) =>
      [...call.matchAll(/`(.+?)`/g)].map(([, each = ""]) => each),
    );
    expect(rows.toSorted()).toEqual(all.toSorted());
    const shown = BLOCKS.filter(({ language }) => language === "sh").flatMap(({ text }) => callsIn(text));
    const missing = all.filter((route) => !route.includes("/api/*") && !shown.some((call) => isCallOf(call, route)));
    expect(missing).toEqual([]);
    expect(shown.some((call) => call.includes(" /api/"))).toBe(true);
  });

  test("has a row for each kind of fault", () => {
    expect(tableAfter("The kinds, with the default of each option in brackets:").map(([kind]) => kind)).toEqual(
      FAULT_KINDS.map((kind) => `\`${kind}\``),
    );
  });

  test("has seeds that the schema and the emulator accept", async () => {
    const schema = JSON.parse(await readFile(join(ROOT, "schemas/emulator-seed.schema.json"), "utf8"));
    const accepts = new Ajv2020({ strict: true }).compile(schema);
    const seeds = BLOCKS.filter(({ file }) => file.endsWith("seed.yaml"));
    expect(seeds.map(({ file }) => file)).toEqual(["terraform-seed.yaml", "seed.yaml"]);
    for (const { text } of seeds) {
      expect([accepts(parse(text)), accepts.errors]).toEqual([true, null]);
      expect(() => createService({ clock: "manual", seed: parseSeed(text) })).not.toThrow();
    }
  });

  test("shows an error of its own seed as printed", async () => {
    const seed = BLOCKS.find(({ file }) => file === "seed.yaml")?.text ?? "";
    const wrong = seed.replace("023e105f4ecef8ad9ca31a8372d0c353", "023");
    await writeFile(join(folder, "seed.yaml"), wrong);
    const { stderr } = await run(["emulator", "--port", "0", "--seed", "seed.yaml"], { cwd: folder });
    expect(BLOCKS.filter(({ language }) => language === "text").map(({ text }) => text)).toContain(
      stderr.replace("1 error\n", ""),
    );
  });

  test("has a first project that can be planned and applied, against the emulator as it starts", async () => {
    const cwd = await temporaryFolder();
    for (const { file, text } of BLOCKS)
      if (["zoneform.yaml", "saas-dev.yaml"].includes(file)) await writeFile(join(cwd, file), text);
    const own = await startEmulator();
    onTestFinished(() => own.close());
    const surroundings = { cwd, env: { CLOUDFLARE_BASE_URL: own.url, CLOUDFLARE_API_TOKEN: "emulator-token" } };
    const [, planned = "", first = "", later = ""] =
      /zoneform plan +# (\d+) to create[^]*?zoneform status +# first "(.+?)", and after a minute "(.+?)"/.exec(PAGE) ??
      [];
    const { code, stdout } = await run(["plan", "--detailed-exitcode"], surroundings);
    expect([code, stdout]).toEqual([2, expect.stringContaining(`Plan for project first: ${planned} changes`)]);
    expect(await run(["apply", "--auto-approve"], surroundings)).toMatchObject({ code: 0 });
    expect((await run(["status"], surroundings)).stdout).toContain(first);
    own.advance(60_000);
    expect((await run(["status"], surroundings)).stdout).toContain(later);
    own.advance(3_600_000);
    expect(await run(["plan", "--detailed-exitcode"], surroundings)).toMatchObject({ code: 0 });
  });

  test("names only existing headings, files and flags", async () => {
    const { stdout } = await run(["emulator", "--help"], { cwd: ROOT });
    const flags = new Set(
      [...PAGE.matchAll(/zoneform emulator (.*)/g)].flatMap(([, rest = ""]) => rest.match(/--[\w-]+/g) ?? []),
    );
    expect([...flags].filter((flag) => !stdout.includes(flag))).toEqual([]);
    expect(flags.size).toBeGreaterThan(2);
  });
});

const plugins = pluginsFor("5");
// The reporter lists no skipped tests.
if (plugins.missing !== undefined)
  process.stderr.write(`skipped: Terraform as in docs/emulator.md: ${plugins.missing}\n`);

describe.skipIf(plugins.missing !== undefined)(
  `Terraform as docs/emulator.md shows it${plugins.missing === undefined ? "" : ` (skipped: ${plugins.missing})`}`,
  () => {
    test("applies against the emulator", async () => {
      const cwd = await temporaryFolder();
      for (const { file, text } of BLOCKS)
        if (["main.tf", "terraform-seed.yaml"].includes(file)) await writeFile(join(cwd, file), text);
      const running = start(["emulator", "--port", "0", "--seed", "terraform-seed.yaml"], { cwd });
      onTestFinished(() => running.kill("SIGTERM"));
      await running.said("Press Ctrl-C");
      const [, token = ""] = /value: (\S+) \}/.exec(await readFile(join(cwd, "terraform-seed.yaml"), "utf8")) ?? [];
      const [, url = ""] = /listening on (\S+)/.exec(running.printed()) ?? [];
      const around = {
        cwd,
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: cwd,
          TF_CLI_CONFIG_FILE: "/dev/null",
          CHECKPOINT_DISABLE: "1",
          CLOUDFLARE_BASE_URL: url,
          CLOUDFLARE_API_TOKEN: token,
        },
      };
      await execute("terraform", ["init", `-plugin-dir=${plugins.folder}`, "-no-color"], around);
      const applied = await execute("terraform", ["apply", "-auto-approve", "-no-color"], around);
      expect(applied.stdout).toContain("1 added, 0 changed, 0 destroyed");
    });
  },
);

async function shell(text: string): Promise<string> {
  const { stdout, stderr } = await execute("bash", ["--norc", "-euc", text], { cwd: folder, env });
  expect([text, stderr]).toEqual([text, ""]);
  return stdout;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

async function program(file: string): Promise<string> {
  return (await execute(process.execPath, [join(folder, file)], { cwd: folder, env })).stdout;
}

/** An answer cut down to what the page shows of it: `"…"` stands for members that are left out. */
function shortened(answer: unknown, shown: unknown): unknown {
  if (Array.isArray(answer) && Array.isArray(shown)) return answer.map((each, index) => shortened(each, shown[index]));
  if (!isRecord(answer) || !isRecord(shown)) return answer;
  const isShort = "…" in shown;
  const kept = Object.entries(answer).filter(([name]) => !isShort || name in shown);
  const left = kept.length < Object.keys(answer).length ? { "…": "…" } : {};
  return { ...Object.fromEntries(kept.map(([name, each]) => [name, shortened(each, shown[name])])), ...left };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The cells of the first table behind a text. */
function tableAfter(text: string): readonly (readonly string[])[] {
  const rest = PAGE.slice(PAGE.indexOf(text));
  const [, table = ""] = /\n\|[^\n]*\n\|-[^\n]*\n((?:\|[^\n]*\n)+)/.exec(rest) ?? [];
  return table
    .trimEnd()
    .split("\n")
    .map((row) => row.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, "").trim()));
}

/** The calls of the admin API in a shell text, as `METHOD path`. */
function callsIn(text: string): readonly string[] {
  const lines = text.replaceAll(/\\\n/g, " ").split("\n");
  return lines.flatMap((line) => {
    const [, path] = /"\$ADMIN(\/[^"?]*)/.exec(line) ?? [];
    const method = / -X (\w+)/.exec(line)?.[1] ?? (line.includes(" -d ") ? "POST" : "GET");
    return path === undefined ? [] : [`${method} ${path}`];
  });
}

function isCallOf(call: string, route: string): boolean {
  return new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`).test(call);
}
