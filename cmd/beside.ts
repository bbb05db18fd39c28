import { randomUUID } from "node:crypto";
import { basename, dirname } from "node:path";
import { errorCode, type FileSystem } from "../lib/core/file-system.ts";

/** The processes of this machine, as far as files that they left behind are concerned. */
export interface Processes {
  readonly own: number;
  readonly isRunning: (id: number) => boolean;
}

/** The real ones. */
export const PROCESSES: Processes = {
  own: process.pid,
  isRunning: (id) => {
    try {
      process.kill(id, 0);
      return true;
    } catch (error) {
      // Anything else, such as EPERM, is said of a process that is there.
      return errorCode(error) !== "ESRCH";
    }
  },
};

/** A name beside a file, under which its next content is written before it takes its place: it says whose it is. */
export function nameBeside(path: string, { own }: Processes = PROCESSES): string {
  return `${path}.${own}-${randomUUID()}.new`;
}

/** Removes what writers of this file left beside it who were killed; what one that still runs is writing stays. */
export async function removeLeft(
  fs: Pick<FileSystem, "list" | "remove">,
  path: string,
  { isRunning }: Processes = PROCESSES,
): Promise<void> {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  for (const { name, kind } of await fs.list(folder)) {
    const [, writer] = name.startsWith(start) ? (LEFT.exec(name.slice(start.length)) ?? []) : [];
    if (kind === "file" && writer !== undefined && !isRunning(Number(writer))) await fs.remove(`${folder}/${name}`);
  }
}

const LEFT = /^([1-9]\d{0,9})-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/;
