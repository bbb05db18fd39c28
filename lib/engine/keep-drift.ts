import { dirname, join } from "node:path";
import type { DesiredObject, LoadedProject } from "../config/desired.ts";
import { editedCells } from "../config/edit-csv.ts";
import { EditableYaml } from "../config/edit-yaml.ts";
import { error, problem, Refusal, refusal } from "../core/diagnostic.ts";
import { withTexts } from "../core/file-system.ts";
import { equal, formatPath, leaves, valueAt } from "../core/json.ts";
import { KINDS } from "../kinds/registry.ts";
import { type Drifted, type DriftJudgement, judgeDrift } from "../plan/drift.ts";
import { localAddress } from "../plan/targets.ts";
import { type DriftOptions, findDriftFrom, type FoundDrift, type ZoneDrift } from "./drift.ts";
import { editsToKeep, type Kept, type KeepEdits, type NotKept } from "./keep-edits.ts";
import { type ReadProject, readProject, withProject, type World } from "./world.ts";

/** The new text of one file of the project. */
export interface KeptFile {
  /** Relative to the project's folder. */
  readonly name: string;
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The drift of a project, and the files that declare the live values instead. Nothing is written yet. */
export interface KeptDrift extends FoundDrift {
  readonly files: readonly KeptFile[];
  readonly kept: readonly Kept[];
  readonly notKept: readonly NotKept[];
  /** The judgement of each zone if the files were written, in the order of `zones`. */
  readonly after: readonly DriftJudgement[];
}

/** How large a file may be. */
const LARGEST_FILE_BYTES = 256 * 1024 * 1024;

/**
 * Finds the drift, and the new texts of the files that would declare the live values. Proves them: with these texts the
 * project is valid, nothing that is kept is drift any more, and no other object or field has another value. Throws
 * `Refusal` (`not-kept`) if that is not so. Writes nothing.
 */
export async function keepDrift(world: World, options: DriftOptions): Promise<KeptDrift> {
  return withProject(world, options, async (read) => {
    const found = await findDriftFrom(world, read, options);
    const files = new Files(world, options.file);
    const edits = await editsToKeep(read.project, found.zones, files, new Set(Object.keys(options.sources ?? {})));
    const changed = await files.edited(edits);
    const after = changed.length === 0 ? read.project : await projectWith(world, options, read, changed);
    const judgements = found.zones.map((zone) => judgeWith(after, zone));
    prove(read.project, after, edits.kept, judgements);
    return { ...found, files: changed, kept: edits.kept, notKept: edits.notKept, after: judgements };
  });
}

/** Throws `Refusal` (`file-changed`) if a file no longer has the text that was read. */
export async function checkUnchanged({ fs }: Pick<World, "fs">, files: readonly KeptFile[]): Promise<void> {
  for (const { name, path, before } of files)
    if (textOf(await fs.read(path, LARGEST_FILE_BYTES)) !== before)
      throw refusal(problem("file-changed", { file: name }));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

const BYTE_ORDER_MARK = "\uFEFF";

/** The files of a project, each read once. */
class Files {
  private readonly fs: World["fs"];
  private readonly folder: Promise<string>;
  private readonly texts = new Map<string, Promise<Omit<KeptFile, "after">>>();
  private readonly parsed = new Map<string, Promise<EditableYaml>>();

  constructor({ fs }: Pick<World, "fs">, projectFile: string) {
    this.fs = fs;
    this.folder = fs.realPath(dirname(projectFile));
  }

  async yaml(name: string): Promise<EditableYaml> {
    const parsed = this.parsed.get(name) ?? this.text(name).then(({ before }) => new EditableYaml(withoutMark(before)));
    this.parsed.set(name, parsed);
    return parsed;
  }

  private text(name: string): Promise<Omit<KeptFile, "after">> {
    const text = this.texts.get(name) ?? this.read(name);
    this.texts.set(name, text);
    return text;
  }

  private async read(name: string): Promise<Omit<KeptFile, "after">> {
    const path = await this.fs.realPath(join(await this.folder, name));
    return { name, path, before: textOf(await this.fs.read(path, LARGEST_FILE_BYTES)) };
  }

  /** The files with these edits. Throws `Refusal` for one that cannot be edited. */
  async edited({ yaml, cells }: KeepEdits): Promise<readonly KeptFile[]> {
    const files: KeptFile[] = [];
    for (const [name, edits] of yaml) {
      const after = (await this.yaml(name)).edited(edits);
      if (after === undefined) throw notKept(`${name} cannot declare the live values without changing more than them`);
      const file = await this.text(name);
      files.push({ ...file, after: file.before.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + after : after });
    }
    for (const [name, edits] of cells) {
      const file = await this.text(name);
      files.push({ ...file, after: editedCells(file.before, edits) });
    }
    return files.filter(({ before, after }) => before !== after);
  }
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function notKept(message: string): Refusal {
  return refusal(problem("not-kept", { message }));
}

/** Loads the project as if the files were written. Throws `Refusal` if it would be invalid. */
async function projectWith(
  world: World,
  options: DriftOptions,
  { today }: Pick<ReadProject, "today">,
  files: readonly KeptFile[],
): Promise<LoadedProject> {
  const fs = withTexts(world.fs, new Map(files.map(({ path, after }) => [path, after])));
  try {
    return (await readProject({ ...world, fs }, options, "where-at-hand", today)).project;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const message = "with the live values, the project would be invalid";
    throw new Refusal([error(problem("not-kept", { message })), ...thrown.diagnostics]);
  }
}

/** Judges what was read once more, against another configuration. */
function judgeWith({ desired }: LoadedProject, { input, judgement }: ZoneDrift): DriftJudgement {
  const zone = desired.zones.find(({ id }) => id === input.desired.id);
  if (!zone) return judgement;
  const unfinished = judgement.underWay.map(({ kind, key, run }) => [localAddress(kind, key), run ?? ""] as const);
  return judgeDrift({ ...input, desired: zone }, new Map(unfinished));
}

/** Throws `Refusal` if something that is kept is still drift, or if anything else has another value. */
function prove(
  before: LoadedProject,
  after: LoadedProject,
  kept: readonly Kept[],
  judgements: readonly DriftJudgement[],
): void {
  const drifted = new Map(judgements.flatMap((judgement) => judgement.drifted.map((each) => [each.address, each])));
  for (const { address, fields } of kept) {
    const left = drifted.get(address);
    const still = left && (fields.length === 0 ? "it" : fields.find((field) => fieldsOf(left).has(field)));
    if (still !== undefined) throw notKept(`${address}: ${still} would still differ from live`);
  }
  const keptFields = new Map(kept.map(({ zone, kind, key, fields }) => [`${zone} ${kind} ${key}`, fields]));
  for (const zone of after.desired.zones) {
    const old = before.desired.zones.find(({ id }) => id === zone.id);
    const objects = new Map(old?.objects.map((object) => [`${object.kind} ${object.key}`, object]));
    const left = new Set(zone.objects.map((object) => `${object.kind} ${object.key}`));
    const lost = [...objects.keys()].find(
      (name) => !left.has(name) && keptFields.get(`${zone.name} ${name}`)?.length !== 0,
    );
    if (lost !== undefined) throw notKept(`${lost} in ${zone.name} would no longer be declared`);
    for (const object of zone.objects) {
      const name = `${object.kind} ${object.key}`;
      const other = otherField(objects.get(name), object, keptFields.get(`${zone.name} ${name}`));
      if (other !== undefined)
        throw notKept(`${other} of ${localAddress(object.kind, object.key)} in ${zone.name} would change too`);
    }
  }
}

function fieldsOf({ leaves: fields, rules }: Drifted): ReadonlySet<string> {
  return new Set([...fields.map(({ path }) => formatPath(path)), ...rules.map(({ ref }) => `rule ${ref}`)]);
}

/** A declared field that is not kept, and has another value than before. */
function otherField(
  old: DesiredObject | undefined,
  { kind, values }: DesiredObject,
  kept: readonly string[] = [],
): string | undefined {
  if (old && equal(old.values, values)) return undefined;
  const paths = [old?.values ?? {}, values].flatMap((each) => leaves(each)).map(({ path }) => path);
  const areRulesKept =
    KINDS.some(({ name, shared }) => name === kind && shared) && kept.some((field) => field.startsWith("rule "));
  const isKept = (name: string): boolean =>
    (areRulesKept && name === "rules") || kept.some((field) => name === field || name.startsWith(`${field}.`));
  const changed = paths.filter((path) => !equal(valueAt(old?.values, path), valueAt(values, path))).map(formatPath);
  return changed.find((name) => !isKept(name));
}
