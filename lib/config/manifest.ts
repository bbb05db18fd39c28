import { basename, dirname, posix } from "node:path";
import { type Diagnostic, error } from "../core/diagnostic.ts";
import { runningDigest } from "../core/digest.ts";
import { type Disk, locate, type ProjectFolder, type ProjectPath, readText } from "./files.ts";
import { child, type Node, numberOf, textOf } from "./node.ts";
import { parseYaml } from "./parse-yaml.ts";
import type { Report } from "./report.ts";

/** What the exporter says of its file: how many rows it wrote, and the SHA-256 of every byte. */
export interface Manifest {
  readonly rows: Node;
  readonly sha256: Node;
}

/** What the file is. */
export interface FileFacts {
  readonly name: string;
  readonly rows: number;
  readonly sha256: string;
}

/** A manifest is two values; what is longer is something else. */
const LARGEST_MANIFEST_BYTES = 64 * 1024;

const FORM = 'write { "rows": 38000, "sha256": "…" }: the rows without the header, and the SHA-256 of the whole file';

/**
 * Reads the manifest that `complete.manifest` names. A file that the command line names brings its own, of the same
 * name in the same folder: the one in the project is about the project's file.
 */
export async function readManifest(
  project: ProjectFolder,
  written: Node,
  override: string | undefined,
  report: Report,
): Promise<Manifest | undefined> {
  const located =
    override === undefined
      ? await locate(project, "", textOf(written) ?? "", written.at)
      : await besideOverride(project.disk, textOf(written) ?? "", override);
  if ("diagnostic" in located) return report(located.diagnostic);
  const read = await readText(project.disk, located.found, LARGEST_MANIFEST_BYTES);
  if ("diagnostics" in read) return reportAll(read.diagnostics, report);
  const { root, diagnostics } = parseYaml(read.text, located.found.name);
  if (!root || diagnostics.length > 0) return reportAll(diagnostics.map(withForm), report);
  const [rows, sha256] = [child(root, "rows"), child(root, "sha256")];
  const isCount = rows !== undefined && Number.isSafeInteger(numberOf(rows)) && (numberOf(rows) ?? -1) >= 0;
  const isDigest = sha256 !== undefined && /^[0-9a-f]{64}$/i.test(textOf(sha256) ?? "");
  if (!isCount) report(malformed("rows should be a whole number", rows ?? root));
  if (!isDigest) report(malformed("sha256 should be 64 hex digits, in quotes", sha256 ?? root));
  return isCount && isDigest ? { rows, sha256 } : undefined;
}

async function besideOverride(
  disk: Disk,
  written: string,
  override: string,
): Promise<{ readonly found: ProjectPath } | { readonly diagnostic: Diagnostic }> {
  const path = posix.join(dirname(override), basename(written));
  const stat = await disk.stat(path).catch(() => undefined);
  if (stat?.kind === "file") return { found: { path, name: path } };
  const message = `the source is read from ${JSON.stringify(override)}, and its manifest ${JSON.stringify(path)} is not there`;
  return { diagnostic: error({ code: "file-not-found", message, remedy: "put the manifest beside the file" }) };
}

function reportAll(diagnostics: readonly Diagnostic[], report: Report): undefined {
  diagnostics.forEach(report);
}

/** What a file of the project would begin with is no manifest. */
function withForm(diagnostic: Diagnostic): Diagnostic {
  return ["empty-file", "not-a-map"].includes(diagnostic.code) ? { ...diagnostic, remedy: FORM } : diagnostic;
}

function malformed(what: string, node: Node): Diagnostic {
  return error({ code: "manifest-malformed", message: `the manifest's ${what}`, remedy: FORM, at: node.at });
}

/** How the file differs from what its manifest says; nothing where it is exactly that file. */
export function checkManifest({ rows, sha256 }: Manifest, file: FileFacts): readonly Diagnostic[] {
  const name = JSON.stringify(file.name);
  const remedy = "fetch the file and its manifest again, both of the same export";
  const differs = (message: string, { at }: Node): Diagnostic =>
    error({ code: "manifest-mismatch", message, remedy, at });
  if (numberOf(rows) !== file.rows)
    return [differs(`the manifest says ${numberOf(rows) ?? 0} rows, ${name} has ${file.rows}`, rows)];
  return textOf(sha256)?.toLowerCase() === file.sha256
    ? []
    : [differs(`${name} is not the file of this manifest: its SHA-256 is ${file.sha256}`, sha256)];
}

/** Bytes that pass through, and their SHA-256 once all of them did. */
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
