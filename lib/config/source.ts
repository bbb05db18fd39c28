import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { errorCode } from "../core/file-system.ts";
import type { Declaration } from "./declaration.ts";
import { decodeFields, type Fields } from "./fields.ts";
import { type Disk, locate, type ProjectFolder, type ProjectPath } from "./files.ts";
import { checkManifest, digested, readManifest } from "./manifest.ts";
import { child, type MapEntry, numberOf, textOf } from "./node.ts";
import type { RowReader } from "./rows.ts";
import { DEFAULT_MAX_SHRINK } from "./shrink.ts";
import { emptySource, textStream } from "./text-stream.ts";
import type { Report } from "./report.ts";
import { limitedReport } from "./limited-report.ts";
import { readCsvRows, readNdjsonRows } from "./source-rows.ts";

/** A source that was read. */
export interface LoadedSource {
  readonly name: string;
  readonly at: Position;
  readonly declarations: readonly Declaration[];
  readonly labels: readonly string[];
  readonly maxShrink: number;
  readonly isConfirmed: boolean;
  /** Whether a manifest proves that the file is whole. */
  readonly isProven: boolean;
  /** What the project says of its completeness, in one line. */
  readonly said: string;
  /** Whether every row was sound. */
  readonly isWhole: boolean;
}

/** Reads one source: its file, every row, and whether it counts as complete. */
export async function readSource(
  project: ProjectFolder,
  name: string,
  { keyAt, value: node }: MapEntry,
  override: string | undefined,
  report: Report,
): Promise<LoadedSource> {
  let errors = 0;
  const limited = limitedReport((diagnostic) => {
    errors += 1;
    return report(diagnostic);
  });
  const fields = decodeFields(node, limited.report);
  const file = await fileOf(project, name, { keyAt, value: node }, override, limited.report);
  const written = child(child(node, "complete"), "manifest");
  const manifest = written && (await readManifest(project, written, override, limited.report));
  const read =
    fields && file
      ? await readRows(project.disk, name, { keyAt, value: node }, file, fields, limited.report)
      : undefined;
  const reader = read?.reader;
  limited.finish(file?.name);

  const minRows = child(child(node, "complete"), "min_rows");
  const least = numberOf(minRows);
  const rows = reader?.rows() ?? 0;
  if (errors === 0 && least !== undefined && rows < least) {
    errors += 1;
    report(tooFewRows(name, rows, least, minRows?.at ?? keyAt));
  }
  const isProven = errors === 0 && manifest !== undefined && file !== undefined && read !== undefined;
  const mismatches = isProven ? checkManifest(manifest, { name: file.name, rows, sha256: read.sha256() }) : [];
  for (const mismatch of mismatches) {
    errors += 1;
    report(mismatch);
  }
  const maxShrink = shareOf(textOf(child(child(node, "complete"), "max_shrink"))) ?? DEFAULT_MAX_SHRINK;
  return {
    name,
    at: keyAt,
    declarations: reader?.declarations ?? [],
    labels: fields?.labels.flatMap(({ path }) => path) ?? [],
    maxShrink,
    isConfirmed: least === rows,
    isProven: isProven && mismatches.length === 0,
    said: `min_rows ${least ?? 0}, max_shrink ${maxShrink}`,
    isWhole: errors === 0,
  };
}

/** `2%` as 0.02. */
export function shareOf(percent: string | undefined): number | undefined {
  return percent === undefined ? undefined : Number(percent.replace("%", "")) / 100;
}

async function fileOf(
  project: ProjectFolder,
  name: string,
  { keyAt, value: node }: MapEntry,
  override: string | undefined,
  report: Report,
): Promise<(ProjectPath & { isNdjson: boolean }) | undefined> {
  const csv = child(node, "csv");
  const ndjson = child(node, "ndjson");
  const written = csv ?? ndjson;
  if (!written || (csv && ndjson)) {
    const message = `the source ${JSON.stringify(name)} has ${csv ? "both csv and ndjson" : "neither csv nor ndjson"}`;
    return report(error({ code: "source-without-file", message, remedy: "give one of the two", at: keyAt }));
  }
  // A file that the command line names may lie anywhere: whoever types it decides.
  if (override !== undefined) {
    const stat = await project.disk.stat(override).catch(() => undefined);
    if (stat?.kind === "file") return { path: override, name: override, isNdjson: ndjson !== undefined };
    const message = `--source ${name}=${override}: there is no such file`;
    return report(error({ code: "file-not-found", message, remedy: "check the path" }));
  }
  const located = await locate(project, "", textOf(written) ?? "", written.at);
  if ("diagnostic" in located) return report(located.diagnostic);
  return { ...located.found, isNdjson: ndjson !== undefined };
}

async function readRows(
  disk: Disk,
  name: string,
  { value: node }: MapEntry,
  file: ProjectPath & { readonly isNdjson: boolean },
  fields: Fields,
  report: Report,
): Promise<{ readonly reader: RowReader | undefined; sha256(): string }> {
  const digesting = digested(disk.stream(file.path));
  const text = textStream(digesting.bytes, file.name);
  const delimiter = textOf(child(node, "delimiter")) ?? ",";
  const reading = file.isNdjson
    ? readNdjsonRows(text.chunks, name, file.name, fields, report)
    : readCsvRows(text.chunks, name, file.name, delimiter, fields, report);
  const read = await reading.catch((failure: unknown) => ({ reader: undefined, problem: unreadable(file, failure) }));
  const problem = text.problem();
  // What is wrong with the text itself explains what the reader stumbled over after it.
  const found = problem ?? read.problem ?? (read.reader?.rows() === 0 ? emptySource(file.name) : undefined);
  if (found) report(found);
  return { reader: problem || read.problem ? undefined : read.reader, sha256: () => digesting.sha256() };
}

/** What the disk said; any other failure is ours, and goes on. */
function unreadable(file: ProjectPath, failure: unknown): Diagnostic {
  const code = errorCode(failure);
  if (code === undefined) throw failure;
  const message = `the file cannot be read (${code})`;
  const at = { file: file.name, line: 1, column: 1 };
  return error({ code: "file-unreadable", message, remedy: "check the file and its permissions", at });
}

function tooFewRows(name: string, rows: number, least: number, at: Position): Diagnostic {
  return error({
    code: "source-incomplete",
    message: `the source ${JSON.stringify(name)} has ${rows} rows, at least ${least} are wanted`,
    remedy: "look whether the file is whole; if it is, lower complete.min_rows",
    at,
  });
}
