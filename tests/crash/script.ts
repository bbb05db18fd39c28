import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** How a script of this folder ended. */
export interface ScriptEnd {
  readonly code: number | null;
  /** Its last line, which has the figures. */
  readonly figures: string;
  readonly complaints: string;
}

/** Runs a script of this folder to its end. The scripts are plain JavaScript, because they also run without tests. */
export function runScript(name: string, ...args: readonly string[]): ScriptEnd {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, name), ...args], {
    encoding: "utf8",
  });
  return { code: status, figures: stdout.trim().split("\n").at(-1) ?? "", complaints: stderr };
}
