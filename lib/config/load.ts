import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import {
  type Diagnostic,
  error,
  formatPosition,
  type Position,
  problem,
  type Result,
  result,
} from "../core/diagnostic.ts";
import { basename, dirname } from "node:path";
import { errorCode } from "../core/file-system.ts";
import { canonical } from "../core/json.ts";
import type { Secret, SecretReference } from "../core/secret.ts";
import { didYouMean } from "../core/suggest.ts";
import { decodeBudget, decodeDeletionLimits } from "./limits.ts";
import type { BudgetPlaces, Heading, LoadedProject } from "./desired.ts";
import type { BudgetSection, ProjectFile, SourceSection, ZoneFile } from "./document-types.ts";
import { type Document, isLost, lostOf, placeOf } from "./document.ts";
import { type Disk, locate, type ProjectFolder, type ProjectPath, readText, expand, isPattern } from "./files.ts";
import { type LayeredZone, withLayers } from "./layers.ts";
import { hostnameProblems, checkHostnames } from "./hostname-problems.ts";
import { checkMoves } from "./moves.ts";
import { type ResolvedZone, resolveZone } from "./resolve-zone.ts";
import { readSecrets } from "./secrets.ts";
import { type LoadedSource, lostSource, readSource } from "./source.ts";
import { type Check, checkProject, checkZone, readDocument, refuseCredentials } from "./validate.ts";
import { keptReport, onceReport, type Report } from "./report.ts";

/** What loading a project needs from outside the process. */
export interface LoadWorld {
  readonly fs: Disk;
  /**
   * The project's files as they were at an earlier commit. Secrets, and sources of the command line that this lacks, are
   * read from `fs`.
   */
  readonly past?: Disk;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with each secret when it is read. */
  readonly learn?: (secret: Secret) => void;
  /** Now, in milliseconds, because exceptions can expire. */
  readonly today: number;
}

/** Which project to load, and the options of the command line. */
export interface LoadOptions {
  /** The path of `zoneform.yaml`; its folder is the project, and positions in messages are relative to it. */
  readonly file: string;
  /** `--source NAME=FILE`, relative to the working directory. */
  readonly sources?: Readonly<Record<string, string>>;
  /** `--complete-source NAME`: here only the names are checked. */
  readonly completeSources?: readonly string[];
  /** Missing secrets are listed in `absentSecrets`, and are no errors. */
  readonly secrets?: "where-at-hand";
}

/** Loads a project: reads, checks and resolves every file, or returns the errors of all files in one pass. */
export async function loadProject(world: LoadWorld, options: LoadOptions): Promise<Result<LoadedProject>> {
  const kept = keptReport();
  const { said } = kept;
  const report = onceReport(kept.report);
  const opened = await openProject(world.past ?? world.fs, options.file, report);
  if (!opened) return { ok: false, diagnostics: said };
  const { project, file } = opened;
  const current: ProjectFolder = { ...project, disk: world.fs };

  const { value: root = {} } = await readFile<ProjectFile>(project, file, checkProject, world.env, report);
  const zones = await readZones(project, root.zones ?? [], world.env, report);
  const given = world.past ? givenBefore(root, options) : options;
  const sources = await readSources(project, current, root.sources, given, report);
  const secrets = new Map<string, Secret>();
  const absent = new Map<string, Diagnostic>();
  const noted = options.secrets === "where-at-hand" ? absent : undefined;
  for (const zone of zones) await readSecrets(current, world, zone.root, secrets, report, noted);

  const budget = decodeBudget(root.budget ?? {}, report);
  const problems = hostnameProblems(report);
  const facts = {
    sources,
    problems,
    deletionLimits: decodeDeletionLimits(root.deletion_limits),
    secretOf: (reference: SecretReference) => secrets.get(canonical(reference)),
  };
  const areNamesFree = root.rules?.unknown_fields === "allow";
  const ofZones: Report = (problem) => {
    // If the sources could not be read, an unknown source is no error of the zone.
    if (problem.code === "unknown-source" && isLost(root, ["sources"])) return undefined;
    if (areNamesFree && NAME_CODES.has(problem.code)) return undefined;
    return report(problem);
  };
  const resolved = zones.flatMap((zone) => resolveZone(zone, facts, world.today, ofZones) ?? []);
  problems.finish();
  checkZones(resolved, report);
  const whole = resolved.map(({ zone }) => zone);
  checkHostnames(whole, report);
  checkMoves(whole, zones.length, report);
  const resolvedNamed = (name: string): ResolvedZone | undefined => resolved.find(({ zone }) => zone.name === name);
  const loaded: LoadedProject = {
    desired: { project: root.project ?? "", budget, zones: resolved.map(({ zone }) => zone) },
    heading: headingOf(root),
    budgetAt: placesOf(root.budget ?? {}),
    sources: resolved.flatMap((zone) => zone.sources),
    secrets,
    absentSecrets: absent,
    originOf: (zone, object, path) => resolvedNamed(zone)?.originOf(object, path),
    deciderOf: (zone, hostname, path) => resolvedNamed(zone)?.deciderOf(hostname, path),
  };
  return result(loaded, said);
}

/** What `rules: { unknown_fields: allow }` allows. */
const NAME_CODES: ReadonlySet<DiagnosticCode> = new Set(["expression-misspelt", "expression-unknown-name"]);

/**
 * Reads what the project file says about the project itself, for a caller that needs no zone: a zone file may be broken
 * or gone.
 */
export async function loadHeading(world: Pick<LoadWorld, "fs" | "env">, path: string): Promise<Result<Heading>> {
  const kept = keptReport();
  const opened = await openProject(world.fs, path, kept.report);
  if (!opened) return { ok: false, diagnostics: kept.said };
  const { value: root } = await readFile<ProjectFile>(
    opened.project,
    opened.file,
    checkProject,
    world.env,
    kept.report,
  );
  return result(headingOf(root), kept.said);
}

function headingOf(root: Partial<ProjectFile> = {}): Heading {
  const { project = "", state } = root;
  return { project, state: state ? { ...state, at: placeOf(state) } : {} };
}

async function openProject(
  disk: Disk,
  path: string,
  report: Report,
): Promise<{ project: ProjectFolder; file: ProjectPath } | undefined> {
  try {
    const folder = await disk.realPath(dirname(path));
    const project = { disk, path: folder };
    const file = await locate(project, "", basename(path), undefined, (problem) =>
      report({ ...problem, remedy: REMEDY }),
    );
    return file && { project, file };
  } catch (failure) {
    if (errorCode(failure) === undefined) throw failure;
    const message = `there is no folder ${JSON.stringify(dirname(path))}`;
    return report(error({ code: "file-not-found", message, remedy: REMEDY }));
  }
}

function placesOf(budget: BudgetSection): BudgetPlaces {
  return {
    ...(budget.api === undefined ? {} : { api: placeOf(budget, "api") }),
    ...(budget.issuance === undefined ? {} : { issuance: placeOf(budget, "issuance") }),
    ...(budget.runners === undefined ? {} : { runners: placeOf(budget, "runners") }),
  };
}

const REMEDY = "run the command in the folder of zoneform.yaml, or name that file with --config";

async function readFile<T>(
  project: ProjectFolder,
  file: ProjectPath,
  schema: Check,
  env: LoadWorld["env"],
  report: Report,
): Promise<Document<T>> {
  const text = await readText(project.disk, file, report);
  if (text === undefined) return { file: file.name, isWhole: false };
  refuseCredentials(text, file.name, env, report);
  return readDocument<T>(text, file.name, schema, report);
}

async function readZones(
  project: ProjectFolder,
  paths: readonly string[],
  env: LoadWorld["env"],
  report: Report,
): Promise<readonly LayeredZone[]> {
  const files = new Map<string, Promise<Document<ZoneFile>>>();
  const read = (file: ProjectPath): Promise<Document<ZoneFile>> => {
    const known = files.get(file.name) ?? readFile<ZoneFile>(project, file, checkZone, env, report);
    files.set(file.name, known);
    return known;
  };
  const zones: LayeredZone[] = [];
  for (const file of await zoneFiles(project, paths, report)) {
    const zone = await withLayers(project, file, read, report);
    if (zone) zones.push(zone);
  }
  return zones;
}

/** Projects have fewer zones, so a pattern with more matches finds other files. */
const MOST_ZONE_FILES = 1000;

/** The files that the paths and patterns of `zones` match, each once. */
async function zoneFiles(
  project: ProjectFolder,
  paths: readonly string[],
  report: Report,
): Promise<readonly ProjectPath[]> {
  const found = new Map<string, ProjectPath>();
  for (const [index, written] of paths.entries()) {
    if (found.size > MOST_ZONE_FILES) break;
    const at = placeOf(paths, index);
    const isInside = !written.startsWith("/") && !written.split("/").includes("..");
    const names = isPattern(written) && isInside ? await expand(project, written) : [written];
    if (names.length === 0) report(noZoneFile(written, at));
    for (const name of names) {
      const file = await locate(project, "", name, at, report);
      if (file) found.set(file.name, file);
      if (found.size <= MOST_ZONE_FILES) continue;
      report(error(problem("too-many-files", { most: MOST_ZONE_FILES }, { at })));
      break;
    }
  }
  return [...found.values()];
}

function noZoneFile(pattern: string, at: Position): Diagnostic {
  const message = `no file matches ${JSON.stringify(pattern)}`;
  const remedy = "correct the pattern, or add a zone file that matches it";
  return error({ code: "file-not-found", message, remedy, at });
}

/** The options of the command line, without the sources that an earlier commit did not have. */
function givenBefore({ sources = {} }: Partial<ProjectFile>, options: LoadOptions): LoadOptions {
  const known = Object.entries(options.sources ?? {}).filter(([name]) => Object.hasOwn(sources, name));
  return { ...options, sources: Object.fromEntries(known), completeSources: [] };
}

async function readSources(
  project: ProjectFolder,
  current: ProjectFolder,
  sections: Readonly<Record<string, SourceSection>> | undefined,
  { sources: overrides = {}, completeSources = [] }: Pick<LoadOptions, "sources" | "completeSources">,
  report: Report,
): Promise<ReadonlyMap<string, LoadedSource>> {
  const lost = sections ? lostOf(sections) : [];
  const names = [...Object.keys(sections ?? {}), ...lost];
  const given = [
    ...Object.keys(overrides).map((name) => ["--source", name] as const),
    ...completeSources.map((name) => ["--complete-source", name] as const),
  ];
  for (const [flag, name] of given.filter(([, named]) => !names.includes(named))) {
    const remedy = didYouMean(name, names);
    report(error(problem("unknown-source", { name: `${JSON.stringify(name)}, which ${flag} names` }, { remedy })));
  }
  const sources = new Map<string, LoadedSource>();
  if (!sections) return sources;
  for (const name of lost) sources.set(name, lostSource(name, placeOf(sections)));
  for (const [name, section] of Object.entries(sections)) {
    const override = Object.hasOwn(overrides, name) ? overrides[name] : undefined;
    const isPast = override === undefined || (await project.disk.stat(override).catch(() => undefined)) !== undefined;
    sources.set(name, await readSource(isPast ? project : current, name, sections, section, override, report));
  }
  return sources;
}

/** Each zone has one state and one section of the plan (docs/semantics.md#zones), so ids and names must be unique. */
function checkZones(zones: readonly ResolvedZone[], report: Report): void {
  const seen = { id: new Map<string, Position>(), name: new Map<string, Position>() };
  for (const { zone } of zones) {
    const doubled = (["id", "name"] as const).filter((field) => seen[field].has(zone[field]));
    const first = doubled.map((field) => seen[field].get(zone[field])).find((at) => at !== undefined);
    if (first) {
      const what = doubled.map((field) => `${field} ${zone[field]}`).join(" and the ");
      report(error(problem("duplicate-zone", { what, place: formatPosition(first) }, { at: zone.at })));
    }
    for (const field of ["id", "name"] as const) seen[field].set(zone[field], seen[field].get(zone[field]) ?? zone.at);
  }
}
