import { basename, dirname, join } from "node:path";
import type { FileSystem } from "../../lib/core/file-system.ts";
import type { JsonObject } from "../../lib/core/json.ts";

/** The project file of every seed. */
export const PROJECT_FILE = "/project/zoneform.yaml";

/** The files that people write. They do not change while a process runs, so reading them is not an event. */
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
  const files = new Map<string, Uint8Array>();
  const refuse = (): Promise<never> => Promise.reject(new Error("nobody writes here"));
  const read = async (path: string): Promise<Uint8Array> => {
    const bytes = files.get(path);
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
        const bytes = files.get(path);
        return bytes && { kind: "file", sizeBytes: bytes.length, mode: 0o600, version: "" };
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
