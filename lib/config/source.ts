import { problem } from "../core/problem.ts";
import { type Diagnostic, error, type Position, topOf } from "../core/diagnostic.ts";
import { errorCode } from "../core/file-system.ts";
import type { Declaration } from "./declaration.ts";
import type { SourceCount } from "./desired.ts";
import { decodeFields, type Fields } from "./fields.ts";
import { type Disk, locate, type ProjectFolder, type ProjectPath } from "./files.ts";
import type { SourceSection } from "./document-types.ts";
import { keyPlaceOf, placeOf } from "./document.ts";
import type { RowReader } from "./rows.ts";
import { emptySource, type TextStream, textStream } from "./text-stream.ts";
import { keptReport, limitedReport, type Report } from "./report.ts";
import { readCsvRows, readNdjsonRows } from "./source-rows.ts";

/** The default share of a source's rows that may be missing: enough for a normal week, too little for a truncated file. */
const DEFAULT_MAX_SHRINK = 0.1;

/** How many of a file's last rows a state remembers, to recognize a truncated file. */
export const END_ROWS = 10;

/** A source that was read. */
export interface LoadedSource extends Pick<SourceCount, "first" | "end" | "has" | "maxShrink" | "at"> {
  readonly name: string;
  readonly declarations: readonly Declaration[];
  readonly labels: readonly string[];
  /** Whether every row was valid. */
  readonly isWhole: boolean;
}

/** Reads one source: its file, every row, and whether it counts as complete. */
export async function readSource(
  project: ProjectFolder,
  name: string,
  sections: Readonly<Record<string, SourceSection>>,
  section: SourceSection,
  override: string | undefined,
  report: Report,
): Promise<LoadedSource> {
  const at = keyPlaceOf(sections, name);
  const { complete } = section;
  const all = keptReport(report);
  const limited = limitedReport(all.report);
  const fields = decodeFields(section, limited.report);
  const file = await fileOf(project, name, section, at, override, limited.report);
  const reader = fields && file ? await readRows(project.disk, name, section, file, fields, limited.report) : undefined;
  limited.finish(file?.name);

  const least = complete?.min_rows;
  const rows = reader?.rows() ?? 0;
  if (all.said.length === 0 && complete && least !== undefined && rows < least)
    all.report(tooFewRows(name, rows, least, placeOf(complete, "min_rows")));
  return {
    name,
    at,
    ...rowsOf(reader?.declarations ?? []),
    labels: fields?.labels.flatMap(({ path }) => path) ?? [],
    maxShrink: shareOf(complete?.max_shrink) ?? DEFAULT_MAX_SHRINK,
    isWhole: all.said.length === 0,
  };
}

function rowsOf(declarations: readonly Declaration[]): Pick<LoadedSource, "declarations" | "first" | "end" | "has"> {
  const hostnameOf = ({ facts }: Declaration): string => facts.hostname;
  let hostnames: ReadonlySet<string> | undefined;
  return {
    declarations,
    first: declarations.slice(0, 1).map(hostnameOf).join(""),
    end: declarations.slice(-END_ROWS).map(hostnameOf),
    has: (hostname) => (hostnames ??= new Set(declarations.map(hostnameOf))).has(hostname),
  };
}

/** A source whose declaration is wrong: it exists, but its rows are unknown. */
export function lostSource(name: string, at: Position): LoadedSource {
  return { name, at, ...rowsOf([]), labels: [], maxShrink: DEFAULT_MAX_SHRINK, isWhole: false };
}

/** `2%` as 0.02. */
export function shareOf(percent: string | undefined): number | undefined {
  return percent === undefined ? undefined : Number(percent.replace("%", "")) / 100;
}

async function fileOf(
  project: ProjectFolder,
  name: string,
  section: SourceSection,
  at: Position,
  override: string | undefined,
  report: Report,
): Promise<(ProjectPath & { isNdjson: boolean }) | undefined> {
  const { csv, ndjson } = section;
  const written = csv ?? ndjson;
  const isNdjson = ndjson !== undefined;
  if (written === undefined || (csv !== undefined && isNdjson)) {
    const has = csv === undefined ? "neither csv nor ndjson" : "both csv and ndjson";
    return report(error(problem("source-without-file", { name: JSON.stringify(name), has }, { at })));
  }
  // A file of the command line may be anywhere: the user who types it decides.
  if (override !== undefined) {
    const stat = await project.disk.stat(override).catch(() => undefined);
    if (stat?.kind === "file") return { path: override, name: override, isNdjson };
    const message = `--source ${name}=${override}: there is no such file`;
    return report(error({ code: "file-not-found", message, remedy: "check the path" }));
  }
  const found = await locate(project, "", written, placeOf(section, isNdjson ? "ndjson" : "csv"), report);
  return found && { ...found, isNdjson };
}

async function readRows(
  disk: Disk,
  name: string,
  { delimiter = "," }: SourceSection,
  file: ProjectPath & { readonly isNdjson: boolean },
  fields: Fields,
  report: Report,
): Promise<RowReader | undefined> {
  const text = textStream(disk.stream(file.path), file.name, report);
  const stop = unlessUnsound(text, report);
  const reading = file.isNdjson
    ? readNdjsonRows(text.chunks, name, file.name, fields, report)
    : readCsvRows(text.chunks, name, file.name, delimiter, fields, report, stop);
  const reader = await reading.catch((failure: unknown) => stop(unreadable(file, failure)));
  if (reader?.rows() === 0) stop(emptySource(file.name));
  return text.isSound() ? reader : undefined;
}

/** Drops the reader's errors if the text itself is broken, because that caused them. */
function unlessUnsound(text: TextStream, report: Report): Report {
  return (problem) => (text.isSound() ? report(problem) : undefined);
}

/** Reports an error of the disk; any other error is a bug and is rethrown. */
function unreadable(file: ProjectPath, failure: unknown): Diagnostic {
  const code = errorCode(failure);
  if (code === undefined) throw failure;
  return error(problem("file-unreadable", { cause: code }, { at: topOf(file.name) }));
}

function tooFewRows(name: string, rows: number, least: number, at: Position): Diagnostic {
  return error(problem("source-incomplete", { name: JSON.stringify(name), rows, least }, { at }));
}
