import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { errorCode } from "../core/file-system.ts";
import type { Declaration } from "./declaration.ts";
import { decodeFields, type Fields } from "./fields.ts";
import { type Disk, locate, type ProjectFolder, type ProjectPath } from "./files.ts";
import type { SourceSection } from "./document-types.ts";
import { keyPlaceOf, placeOf } from "./document.ts";
import { isAsManifest, digested, readManifest } from "./manifest.ts";
import type { RowReader } from "./rows.ts";
import { DEFAULT_MAX_SHRINK } from "./shrink.ts";
import { emptySource, type TextStream, textStream } from "./text-stream.ts";
import { keptReport, limitedReport, type Report } from "./report.ts";
import { readCsvRows, readNdjsonRows } from "./source-rows.ts";

/** A source that was read. */
export interface LoadedSource {
  readonly name: string;
  readonly at: Position;
  readonly declarations: readonly Declaration[];
  readonly labels: readonly string[];
  readonly maxShrink: number;
  readonly isConfirmed: boolean;
  /** Whether a manifest proves that the file is complete. */
  readonly isProven: boolean;
  /** What the project says about its completeness, in one line. */
  readonly said: string;
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
  const manifest = complete && (await readManifest(project, complete, override, limited.report));
  const read = fields && file ? await readRows(project.disk, name, section, file, fields, limited.report) : undefined;
  const reader = read?.reader;
  limited.finish(file?.name);

  const least = complete?.min_rows;
  const rows = reader?.rows() ?? 0;
  if (all.said.length === 0 && complete && least !== undefined && rows < least)
    all.report(tooFewRows(name, rows, least, placeOf(complete, "min_rows")));
  const isProven =
    all.said.length === 0 &&
    manifest !== undefined &&
    file !== undefined &&
    read !== undefined &&
    isAsManifest(manifest, { name: file.name, rows, sha256: read.sha256() }, all.report);
  const maxShrink = shareOf(complete?.max_shrink) ?? DEFAULT_MAX_SHRINK;
  return {
    name,
    at,
    declarations: reader?.declarations ?? [],
    labels: fields?.labels.flatMap(({ path }) => path) ?? [],
    maxShrink,
    isConfirmed: least === rows,
    isProven,
    said: `min_rows ${least ?? 0}, max_shrink ${maxShrink}`,
    isWhole: all.said.length === 0,
  };
}

/** A source whose declaration is wrong: it exists, but its rows are unknown. */
export function lostSource(name: string, at: Position): LoadedSource {
  const nothing = { declarations: [], labels: [], isConfirmed: false, isProven: false, isWhole: false };
  return { name, at, ...nothing, maxShrink: DEFAULT_MAX_SHRINK, said: "" };
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
    const message = `the source ${JSON.stringify(name)} has ${has}`;
    return report(error({ code: "source-without-file", message, remedy: "name one file: csv or ndjson", at }));
  }
  // A file of the command line may lie anywhere: the person who types it decides.
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
): Promise<{ readonly reader: RowReader | undefined; sha256(): string }> {
  const digesting = digested(disk.stream(file.path));
  const text = textStream(digesting.bytes, file.name, report);
  const stop = unlessUnsound(text, report);
  const reading = file.isNdjson
    ? readNdjsonRows(text.chunks, name, file.name, fields, report)
    : readCsvRows(text.chunks, name, file.name, delimiter, fields, report, stop);
  const reader = await reading.catch((failure: unknown) => stop(unreadable(file, failure)));
  if (reader?.rows() === 0) stop(emptySource(file.name));
  return { reader: text.isSound() ? reader : undefined, sha256: () => digesting.sha256() };
}

/** Drops the reader's errors if the text itself is broken, because that caused them. */
function unlessUnsound(text: TextStream, report: Report): Report {
  return (problem) => (text.isSound() ? report(problem) : undefined);
}

/** Reports an error of the disk; any other error is a bug and is rethrown. */
function unreadable(file: ProjectPath, failure: unknown): Diagnostic {
  const code = errorCode(failure);
  if (code === undefined) throw failure;
  const message = `cannot read the file: ${code}`;
  const at = { file: file.name, line: 1, column: 1 };
  return error({ code: "file-unreadable", message, remedy: "check the permissions of the file", at });
}

function tooFewRows(name: string, rows: number, least: number, at: Position): Diagnostic {
  return error({
    code: "source-incomplete",
    message: `the source ${JSON.stringify(name)} has ${rows} rows, expected at least ${least}`,
    remedy: "check that the file is complete; if it is, lower complete.min_rows",
    at,
  });
}
