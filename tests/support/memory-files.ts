import { stringify } from "yaml";
import { disk } from "../../lib/real/disk.ts";
import type { Entry, FileSystem } from "../../lib/core/file-system.ts";

/** The content of a file: a text, bytes, or a value to write as YAML. */
export type FileContent = string | Uint8Array | object;

const ROOT = "/rig-";
const files = new Map<string, Uint8Array>();
const real = disk();
let opened = 0;

/** Makes a folder in memory. */
export function memoryFolder(): string {
  opened += 1;
  return `${ROOT}${opened}`;
}

/** Puts a file into memory. */
export function putFile(path: string, content: FileContent): void {
  files.set(path, bytesOf(content));
}

/** The text of a file in memory; empty if there is no such file. */
export function fileText(path: string): string {
  return Buffer.from(files.get(path) ?? []).toString("utf8");
}

/** A file system with the files of all rigs in memory. Every other path is on the real disk. */
export const MEMORY_FILES: FileSystem = {
  ...real,
  read: (path, limitBytes) => {
    const found = files.get(path);
    return found === undefined ? real.read(path, limitBytes) : Promise.resolve(found);
  },
  stream: (path) => {
    const found = files.get(path);
    return found === undefined ? real.stream(path) : pieces(found);
  },
  stat: (path) => {
    const found = files.get(path);
    if (found === undefined) return real.stat(path);
    return Promise.resolve({ kind: "file", sizeBytes: found.length, mode: 0o600, version: "" });
  },
  realPath: (path) => (path.startsWith(ROOT) ? Promise.resolve(path) : real.realPath(path)),
  list: (path) => (path.startsWith(ROOT) ? Promise.resolve(entriesOf(path)) : real.list(path)),
};

const PIECE_BYTES = 64 * 1024;

async function* pieces(content: Uint8Array): AsyncIterable<Uint8Array> {
  for (let from = 0; from < content.length; from += PIECE_BYTES) yield content.subarray(from, from + PIECE_BYTES);
}

function entriesOf(folder: string): readonly Entry[] {
  const kinds = new Map<string, Entry["kind"]>();
  for (const path of files.keys()) {
    if (!path.startsWith(`${folder}/`)) continue;
    const [name = "", ...below] = path.slice(folder.length + 1).split("/");
    kinds.set(name, below.length === 0 ? "file" : "directory");
  }
  return [...kinds].map(([name, kind]) => ({ name, kind }));
}

function bytesOf(content: FileContent): Uint8Array {
  if (content instanceof Uint8Array) return content;
  return Buffer.from(typeof content === "string" ? content : stringify(content));
}
