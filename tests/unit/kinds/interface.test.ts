import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importCommand } from "../../../cmd/usage/objects.ts";
import { withDeclaration } from "../../../lib/config/declare.ts";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { SCHEMA_NAMES } from "../../../lib/core/schema-names.ts";
import { findDrift } from "../../../lib/engine/drift.ts";
import { exportedObjects } from "../../../lib/engine/export.ts";
import { findForImport } from "../../../lib/engine/import.ts";
import { makeUndo } from "../../../lib/engine/undo.ts";
import { inspect } from "../../../lib/engine/plan.ts";
import { why } from "../../../lib/engine/why.ts";
import { explain } from "../../../lib/engine/explain/explain.ts";
import { zoneStatus } from "../../../lib/engine/hostnames/status.ts";
import { unfinishedIn } from "../../../lib/state/unfinished.ts";
import { kindNamed, KINDS } from "../../../lib/kinds/registry.ts";
import { EVERYTHING } from "../../../lib/plan/inputs.ts";
import { driftDocument } from "../../../lib/report/commands/drift-json.ts";
import { objectName } from "../../../lib/report/lines/words.ts";
import { statusDocument } from "../../../lib/report/commands/status.ts";
import { whyText } from "../../../lib/report/commands/why.ts";
import { hclLines } from "../../../lib/report/formats/hcl.ts";
import { planDocument } from "../../../lib/report/plan/json.ts";
import { planMarkdown } from "../../../lib/report/plan.ts";
import { planText } from "../../../lib/report/plan.ts";
import { dnsRecords, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { type Life, LIVES, writeLife } from "../../support/lives.ts";
import { driftText, statusText } from "../../support/texts.ts";

const ROOT = join(import.meta.dirname, "../../..");
const HOUR_MILLISECONDS = 3_600_000;
const PLAIN = { colour: false } as const;

/** A rig in which the first so many specs of a life were applied. */
async function lived(life: Life, specs: number): Promise<Rig> {
  const rig = openRig({ zone: { plan: "enterprise", dns_records: dnsRecords(), ...life.before }, files: {} });
  for (const spec of life.specs.slice(0, specs)) {
    writeLife(rig, life, spec);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
  }
  writeLife(rig, life, life.specs[specs] ?? life.specs.at(-1) ?? {});
  return rig;
}

describe("the registry", () => {
  test("has every folder that gives a kind", () => {
    const folders = readdirSync(join(ROOT, "lib/kinds")).filter((name) =>
      existsSync(join(ROOT, "lib/kinds", name, "kind.ts")),
    );
    expect(KINDS.map(({ name }) => name.replaceAll("_", "-")).sort()).toEqual(folders.sort());
  });

  test("gives each kind a name and a section of its own", () => {
    const sections = KINDS.flatMap(({ section }) => (section ? [section.key] : []));
    expect(new Set(sections).size).toBe(sections.length);
    expect(new Set(KINDS.map(({ name }) => name)).size).toBe(KINDS.length);
  });
});

describe.each(KINDS.map(({ name }) => [name, LIVES[name]] as const))("%s", (name, life) => {
  const kind = kindNamed(name);
  const { address } = life;

  test("is in a plan as text, as JSON and as Markdown", async () => {
    const rig = await lived(life, 0);
    const plan = await rig.plan();
    const shown = kind.isSingle ? address : (/"(.+)"/.exec(address)?.[1] ?? "");
    expect(planText(plan, PLAIN)).toContain(shown);
    expect(JSON.stringify(planDocument(plan))).toContain(JSON.stringify(address));
    expect(planMarkdown(plan)).toContain(shown);
  });

  test.skipIf(!life.edit)("is in drift as text and as JSON", async () => {
    const rig = await lived(life, life.specs.length);
    life.edit?.(rig);
    await rig.wait(HOUR_MILLISECONDS);
    const found = await findDrift(rig.world(), { file: rig.file });
    const { zones, failed } = found;
    const text = driftText(found, PLAIN, rig.clock.now(), EVERYTHING);
    expect(text).toContain(objectName(address));
    expect(JSON.stringify(driftDocument("rig", zones, failed, { byZone: new Map(), code: 3 }, EVERYTHING))).toContain(
      JSON.stringify(address),
    );
  });

  test("is explained leaf by leaf by why", async () => {
    const rig = await lived(life, 1);
    const text = whyText(await why(rig.world(), { file: rig.file }, address), PLAIN);
    expect(text).toContain(address);
    expect(text).toContain("zones/a.yaml:");
  });

  test("is declared by an import in the way in which a zone file is read", async () => {
    const rig = await lived(life, life.specs.length);
    rig.write("zones/a.yaml", { version: 1, zone: ZONE });
    const [id, named] = life.importId(rig);
    const found = await findForImport(rig.world(), { file: rig.file }, id, named);
    expect(found.address).toBe(address);
    rig.write(
      "zones/a.yaml",
      withDeclaration(rig.read("zones/a.yaml"), kind, found.live.key, kind.declared(found.live)),
    );
    const again = await findForImport(rig.world(), { file: rig.file }, id, named);
    expect(again.object?.kind).toBe(name);
  });

  test("has its import ids in the help of import, in its messages and in the contract", async () => {
    const help = importCommand(() => () => Promise.resolve())
      .helpInformation()
      .replaceAll(/\s+/g, " ");
    const rig = openRig({ files: { "zones/a.yaml": { version: 1, zone: ZONE } } });
    const refused = findForImport(rig.world(), { file: rig.file }, "none of them");
    const said = await refused.then(String, (thrown: unknown) => (thrown instanceof Refusal ? thrown.diagnostics : []));
    const contract = readFileSync(join(ROOT, "docs/semantics.md"), "utf8");
    expect(kind.importForms).not.toEqual([]);
    for (const form of kind.importForms) {
      expect(help).toContain(form);
      expect(JSON.stringify(said)).toContain(form);
      expect(contract).toContain(`\`${form}\``);
    }
  });

  test("is exported as HCL, or said to have no resource", async () => {
    const rig = await lived(life, life.specs.length);
    const text = [...hclLines(await exportedObjects(rig.world(), { file: rig.file }))].join("\n");
    expect(text).toMatch(kind.hcl === "none" ? `# ${ZONE.name}/${address}: ` : `resource "${kind.hcl.type}" `);
  });

  test("is in the plan that undoes a run", async () => {
    const rig = await lived(life, 1);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    const { plan } = await makeUndo(rig.world(), { file: rig.file, run: "last" });
    expect(JSON.stringify(planDocument(plan))).toContain(JSON.stringify(address).slice(1, -1));
  });

  test("is named by status, as text and as JSON, where a run was stopped while it wrote it", async () => {
    const rig = await lived(life, 0);
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      if (request.method !== "GET") rig.crash();
      return answer;
    });
    expect(await rig.untilCrash(rig.run())).toBe("crashed");
    await rig.restart();
    const world = rig.world();
    const { made } = await inspect(world, { file: rig.file }, async ({ input, section, intents }) => {
      const unfinished = await unfinishedIn(world.store, ZONE.id, intents);
      return { ...zoneStatus(input, section, new Map(), 0), ...(unfinished ? { unfinished } : {}) };
    });
    expect(statusText(made, PLAIN)).toContain(objectName(address));
    expect(JSON.stringify(statusDocument(made, [], { byZone: new Map(), code: 0 }))).toContain(JSON.stringify(address));
  });

  test("has a published schema, a place in the zone file's, and a chapter in the reference", () => {
    const schemaName = name.replaceAll("_", "-");
    expect(SCHEMA_NAMES).toContain(schemaName);
    const schema: { readonly title: string } = JSON.parse(
      readFileSync(join(ROOT, `schemas/${schemaName}.schema.json`), "utf8"),
    );
    const zone: { readonly properties: object; readonly $defs: object } = JSON.parse(
      readFileSync(join(ROOT, "schemas/zone.schema.json"), "utf8"),
    );
    expect(Object.keys(zone.properties)).toContain(kind.section?.key ?? "custom_hostnames");
    expect(Object.keys(zone.$defs)).toContain(schemaName);
    expect(readFileSync(join(ROOT, "docs/configuration.md"), "utf8")).toContain(`\n## ${schema.title}\n`);
  });

  test.skipIf(!kind.codes && Object.keys(kind.ownCodes).length === 0)("has its codes explained", () => {
    for (const code of Object.keys(kind.codes ?? {})) expect(explain(code).map(({ of }) => of)).toContain(name);
    for (const code of Object.keys(kind.ownCodes)) expect(explain(code)).toMatchObject([{ code, of: "zoneform" }]);
  });
});
