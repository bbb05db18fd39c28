import { posix } from "node:path";
import { stringify } from "yaml";
import { disk } from "../../lib/real/disk.ts";
import type { Entry, FileSystem } from "../../lib/core/file-system.ts";

/** The content of a file: a text, bytes, or a value to write as YAML. */
export type FileContent = string | Uint8Array | object;

/** A folder in memory, which is gone with the last that holds it. Names are relative to it. */
export interface MemoryFolder {
  readonly path: string;
  /** A file system with this folder. Every other path is on the real disk. */
  readonly fs: FileSystem;
  put(name: string, content: FileContent): void;
  /** The text of a file; empty if there is no such file. */
  text(name: string): string;
}

const ROOT = "/rig";
const real = disk();

/** Makes a folder in memory. */
export function memoryFolder(): MemoryFolder {
  const files = new Map<string, Uint8Array>();
  const at = (name: string): string => posix.join(ROOT, name);
  const fs: FileSystem = {
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
    realPath: (path) => (isWithin(path) ? Promise.resolve(path) : real.realPath(path)),
    list: (path) => (isWithin(path) ? Promise.resolve(entriesOf(files, path)) : real.list(path)),
  };
  return {
    path: ROOT,
    fs,
    put: (name, content) => void files.set(at(name), bytesOf(content)),
    text: (name) => Buffer.from(files.get(at(name)) ?? []).toString("utf8"),
  };
}

const PIECE_BYTES = 64 * 1024;

async function* pieces(content: Uint8Array): AsyncIterable<Uint8Array> {
  for (let from = 0; from < content.length; from += PIECE_BYTES) yield content.subarray(from, from + PIECE_BYTES);
}

function isWithin(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

function entriesOf(files: ReadonlyMap<string, Uint8Array>, folder: string): readonly Entry[] {
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
