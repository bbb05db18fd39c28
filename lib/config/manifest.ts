import { basename, dirname, posix } from "node:path";
import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { runningDigest } from "../core/digest.ts";
import { type Disk, locate, type ProjectFolder, type ProjectPath, readText } from "./files.ts";
import type { CompleteSection } from "./document-types.ts";
import { placeOf } from "./document.ts";
import { parseYaml } from "./parse-yaml.ts";
import { keptReport, type Report } from "./report.ts";

/** What the exporter says about its file: the number of rows, and the SHA-256 of all bytes. */
export interface Manifest {
  readonly rows: number;
  readonly rowsAt: Position;
  readonly sha256: string;
  readonly sha256At: Position;
}

/** What the file really is. */
export interface FileFacts {
  readonly name: string;
  readonly rows: number;
  readonly sha256: string;
}

/** A manifest has two values; anything larger is something else. */
const LARGEST_MANIFEST_BYTES = 64 * 1024;

const FORM =
  'for example: { "rows": 38000, "sha256": "…" }, the number of rows without the header and the SHA-256 of the whole file';

/**
 * Reads the manifest that `complete.manifest` names. For a file of the command line, it is the manifest of the same
 * name beside that file: the one in the project describes the project's file.
 */
export async function readManifest(
  project: ProjectFolder,
  complete: CompleteSection,
  override: string | undefined,
  report: Report,
): Promise<Manifest | undefined> {
  const { manifest: path } = complete;
  if (path === undefined) return undefined;
  const file =
    override === undefined
      ? await locate(project, "", path, placeOf(complete, "manifest"), report)
      : await besideOverride(project.disk, path, override, report);
  const text = file && (await readText(project.disk, file, report, LARGEST_MANIFEST_BYTES));
  if (!file || text === undefined) return undefined;
  const parsing = keptReport((diagnostic) => report(withForm(diagnostic)));
  const root = parseYaml(text, file.name, parsing.report);
  if (!root || parsing.said.length > 0) return undefined;
  const { rows, sha256 } = root;
  const [rowsAt, sha256At] = [placeOf(root, "rows"), placeOf(root, "sha256")];
  const isCount = typeof rows === "number" && Number.isSafeInteger(rows) && rows >= 0;
  const isDigest = typeof sha256 === "string" && /^[0-9a-f]{64}$/i.test(sha256);
  if (!isCount) report(malformed("rows must be a whole number", rowsAt));
  if (!isDigest) report(malformed("sha256 must be 64 hex digits, in quotes", sha256At));
  return isCount && isDigest ? { rows, rowsAt, sha256, sha256At } : undefined;
}

async function besideOverride(
  disk: Disk,
  written: string,
  override: string,
  report: Report,
): Promise<ProjectPath | undefined> {
  const path = posix.join(dirname(override), basename(written));
  const stat = await disk.stat(path).catch(() => undefined);
  if (stat?.kind === "file") return { path, name: path };
  const message = `the source is read from ${JSON.stringify(override)}, but its manifest ${JSON.stringify(path)} is missing`;
  return report(error({ code: "file-not-found", message, remedy: "put the manifest in the folder of that file" }));
}

/** Shows the form of a manifest with an error. */
function withForm(diagnostic: Diagnostic): Diagnostic {
  return ["empty-file", "not-a-map"].includes(diagnostic.code) ? { ...diagnostic, remedy: FORM } : diagnostic;
}

function malformed(what: string, at: Position): Diagnostic {
  return error({ code: "manifest-malformed", message: `the manifest's ${what}`, remedy: FORM, at });
}

/** Whether the file is exactly the one that its manifest describes. Reports the differences. */
export function isAsManifest(manifest: Manifest, file: FileFacts, report: Report): boolean {
  const name = JSON.stringify(file.name);
  const remedy = "export the file and its manifest again, together";
  const differs = (message: string, at: Position): boolean => {
    report(error({ code: "manifest-mismatch", message, remedy, at }));
    return false;
  };
  if (manifest.rows !== file.rows)
    return differs(`the manifest says ${manifest.rows} rows, ${name} has ${file.rows}`, manifest.rowsAt);
  if (manifest.sha256.toLowerCase() === file.sha256) return true;
  return differs(`${name} is not the file of this manifest: its SHA-256 is ${file.sha256}`, manifest.sha256At);
}

/** Passes bytes through, and computes their SHA-256. */
export function digested(bytes: AsyncIterable<Uint8Array>): {
  readonly bytes: AsyncIterable<Uint8Array>;
  sha256(): string;
} {
  const hash = runningDigest();
  async function* passing(): AsyncIterable<Uint8Array> {
    for await (const piece of bytes) {
      hash.add(piece);
      yield piece;
    }
  }
  return { bytes: passing(), sha256: () => hash.hex() };
}
