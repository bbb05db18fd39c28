import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FileSystem } from "../../lib/core/file-system.ts";
import type { JsonObject } from "../../lib/core/json.ts";

/** The project file of every seed. */
export const PROJECT_FILE = "/project/zoneform.yaml";

/**
 * The files that people write, and the package's schemas. They stay as they are while a process runs, so that reading
 * them is no event. One disk for all seeds of a thread, because compiled schemas are remembered by disk.
 */
export interface ProjectFiles {
  readonly fs: FileSystem;
  write(name: string, content: JsonObject | string): void;
}

let opened: ProjectFiles | undefined;

/** The project's files of this thread. */
export function projectFiles(): ProjectFiles {
  opened ??= open();
  return opened;
}

function open(): ProjectFiles {
  const schemas = readSchemas();
  const files = new Map<string, Uint8Array>();
  const found = (path: string): Uint8Array | undefined =>
    path.endsWith(".schema.json") ? schemas.get(basename(path)) : files.get(path);
  const refuse = (): Promise<never> => Promise.reject(new Error("nobody writes here"));
  const read = async (path: string): Promise<Uint8Array> => {
    const bytes = found(path);
    if (!bytes) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
    return bytes;
  };
  return {
    write: (name, content) => {
      const text = typeof content === "string" ? content : JSON.stringify(content);
      files.set(join("/project", name), Buffer.from(text));
    },
    fs: {
      read,
      async *stream(path) {
        yield await read(path);
      },
      stat: async (path) => {
        const bytes = found(path);
        return bytes && { kind: "file", sizeBytes: bytes.length, mode: 0o600 };
      },
      realPath: async (path) => path,
      list: async (path) =>
        [...files.keys()]
          .filter((file) => dirname(file) === path)
          .map((file) => ({ name: basename(file), kind: "file" }) as const),
      makeDirectory: refuse,
      create: refuse,
      append: refuse,
      copy: refuse,
      rename: refuse,
      link: refuse,
      remove: refuse,
      syncDirectory: refuse,
    },
  };
}

function readSchemas(): ReadonlyMap<string, Uint8Array> {
  const folder = join(rootAbove(import.meta.dirname), "schemas");
  const names = readdirSync(folder).filter((name) => name.endsWith(".schema.json"));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

/** Where the package is: the same place seen from the sources and from any depth of what was compiled. */
function rootAbove(folder: string): string {
  if (existsSync(join(folder, "schemas", "zone.schema.json"))) return folder;
  if (dirname(folder) === folder) throw new Error("the schemas are nowhere above this file");
  return rootAbove(dirname(folder));
}
