import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../../lib/emulator.ts";
import { type Ended, run } from "../support/command.ts";
import { flat } from "../support/text.ts";

const ZONE = "023e105f4ecef8ad9ca31a8372d0c353";
const IS_FULL = process.env["ZONEFORM_FULL"] !== undefined;
const ROWS = IS_FULL ? 2000 : 40;
/** So many cuts are tried with the built command; every byte is tried in tests/property/source-tails.test.ts. */
const CUTS = IS_FULL ? 100 : 6;

interface Place {
  readonly zoneform: (...args: readonly string[]) => Promise<Ended>;
  readonly put: (name: string, content: string | Uint8Array) => Promise<void>;
}

function csv(count: number): string {
  const rows = Array.from({ length: count }, (_row, index) => `app${index}.customer.net,größe ${index}\n`);
  return `domain,note\n${rows.join("")}`;
}

/** A project whose hostnames come from one CSV, of which every row has been applied. */
async function applied(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-e2e-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const emulator = await startEmulator({
    clock: "manual",
    seed: {
      accounts: [{ api_requests: 10_000_000, issuance_per_minute: 100_000 }],
      tokens: [{ value: "demo-token" }],
      zones: [{ id: ZONE, name: "saas.net", plan: "enterprise" }],
    },
  });
  onTestFinished(() => emulator.close());
  const env = { CLOUDFLARE_BASE_URL: emulator.url, CLOUDFLARE_API_TOKEN: "demo-token" };
  await mkdir(join(folder, "zones"));
  const put: Place["put"] = (name, content) => writeFile(join(folder, name), content);
  await put(
    "zoneform.yaml",
    `version: 1
project: tails
zones: [zones/*.yaml]
budget: { api: unlimited, issuance: unlimited }
sources:
  customers:
    csv: customers.csv
    fields: { hostname: domain, custom_metadata.note: note }
`,
  );
  await put(
    "zones/a.yaml",
    `version: 1
zone: { id: "${ZONE}", name: saas.net }
custom_hostnames: { lifecycle: zoneform, from: [{ source: customers }] }
`,
  );
  await put("customers.csv", csv(ROWS));
  const zoneform: Place["zoneform"] = (...args) => run(args, { cwd: folder, env });
  const { code, stderr } = await zoneform("apply", "--auto-approve");
  expect(code, stderr).toBe(0);
  return { zoneform, put };
}

/** How many deletions of a plan are not refused. */
function freeDeletions(planned: string): number {
  const plan: { zones: { changes: { action: string; refused?: object }[] }[] } = JSON.parse(planned);
  const changes = plan.zones.flatMap((zone) => zone.changes);
  return changes.filter(({ action, refused }) => action === "delete" && !refused).length;
}

/** The hash in what a plan printed. */
function hashIn(stdout: string): string {
  return /zf1:[0-9a-f]{64}/.exec(stdout)?.[0] ?? "";
}

describe("a CSV that lost its tail", () => {
  test("is planned, and its deletions are refused until exactly that plan is approved by hash", async () => {
    const { zoneform, put } = await applied();
    await put("customers.csv", csv(ROWS - 2));
    const planned = await zoneform("plan");
    expect(planned.code).toBe(4);
    expect(flat(planned.stdout)).toContain(
      'the source "customers" has lost its last 2 rows: this looks like a truncated file [source-tail-gone]',
    );
    expect(await zoneform("drift")).toMatchObject({ code: 0 });
    expect(await zoneform("status")).toMatchObject({ code: 0 });
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 4 });
    const hash = hashIn((await zoneform("plan", "--json")).stdout);
    const shown = (await zoneform("plan")).stdout;
    expect(shown).toContain(`\n  zoneform apply --approve ${hash}\n`);
    expect(shown).not.toContain("HASH");
    const approved = await zoneform("apply", "--approve", hash);
    expect(approved).toMatchObject({ code: 0 });
    expect(approved.stdout).toContain(": 2 deleted.\n");
    expect(await zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  test("keeps its hostnames, even if other guards refuse them first, or they would be deleted in parts", async () => {
    const { zoneform, put } = await applied();
    await put("customers.csv", csv(ROWS - 2));
    expect(await zoneform("apply", "--auto-approve", "--deny", "delete")).toMatchObject({ code: 4 });
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 4 });
    const left = `custom_hostname["app${ROWS - 1}.customer.net"]`;
    expect(await zoneform("apply", "--auto-approve", "--exclude", left)).toMatchObject({ code: 4 });
    expect(freeDeletions((await zoneform("plan", "--json")).stdout)).toBe(0);
    await put("customers.csv", csv(ROWS));
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    await put("customers.csv", csv(ROWS - 1));
    expect(freeDeletions((await zoneform("plan", "--json")).stdout)).toBe(1);
  });

  test("is recognised by the rows that a partial apply saw", async () => {
    const { zoneform, put } = await applied();
    await put("customers.csv", csv(ROWS + 3));
    expect(await zoneform("apply", "--auto-approve", "--exclude", "total_tls")).toMatchObject({ code: 0 });
    await put("customers.csv", csv(ROWS));
    expect(freeDeletions((await zoneform("plan", "--json")).stdout)).toBe(0);
  });

  test("is deleted if somebody says that the file is complete, and a saved plan remembers who said so", async () => {
    const { zoneform, put } = await applied();
    await put("customers.csv", csv(ROWS - 2));
    const unknown = await zoneform("plan", "--complete-source", "customer");
    expect(unknown.code).toBe(1);
    expect(flat(unknown.stderr)).toContain('the project has no source "customer", which --complete-source names');
    const saved = await zoneform("plan", "--complete-source", "customers", "--out", "plan.zfplan");
    expect(saved.code, saved.stderr).toBe(0);
    const done = await zoneform("apply", "plan.zfplan");
    expect(done.stdout).toContain(": 2 deleted.\n");
    await put("customers.csv", csv(ROWS - 20));
    const refused = await zoneform("plan");
    expect(refused.code).toBe(1);
    expect(flat(refused.stderr)).toContain("plan and apply with --complete-source customers");
    expect(await zoneform("apply", "--complete-source", "customers", "--auto-approve")).toMatchObject({ code: 4 });
    const limits = await zoneform("plan", "--complete-source", "customers");
    expect(flat(limits.stdout)).toContain("[deletion-limit]");
  });

  test(`truncated at ${CUTS} places never loses two hostnames`, async () => {
    const { zoneform, put } = await applied();
    const whole = Buffer.from(csv(ROWS));
    for (let cut = 0; cut < CUTS; cut += 1) {
      // Every other cut is at the end of a line near the end, which is the only dangerous place.
      const anywhere = Math.floor(((cut + 0.5) / CUTS) * whole.length);
      const lines = csv(ROWS).split("\n");
      const lineEnd = Buffer.byteLength(lines.slice(0, -1 - (1 + cut / 2)).join("\n")) + 1;
      await put("customers.csv", whole.subarray(0, cut % 2 === 0 ? lineEnd : anywhere));
      const { code, stdout } = await zoneform("plan", "--json");
      expect([0, 1, 4]).toContain(code);
      expect(code === 1 ? 0 : freeDeletions(stdout), `cut ${cut}`).toBeLessThan(2);
    }
    await put("customers.csv", whole);
    expect(await zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});
