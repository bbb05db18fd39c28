import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { MAIN, NODE_FLAGS } from "../support/command.ts";

/** What a command printed on both of its streams, however it ended. */
export interface Printed {
  readonly code: number | null;
  readonly text: string;
}

/** No command here takes this long. */
const LIMIT_MILLISECONDS = 300_000;

/** Runs the built command to its end. Stack traces are no fault here: `--debug` is given. */
export function printedBy(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Printed> {
  return new Promise((resolve) => {
    const options = { cwd, env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env }, timeout: LIMIT_MILLISECONDS };
    execFile(process.execPath, [...NODE_FLAGS, MAIN, ...args], options, (failure, stdout, stderr) => {
      const code = failure === null ? 0 : typeof failure.code === "number" ? failure.code : null;
      resolve({ code, text: `${stdout}\n${stderr}` });
    });
  });
}

/** The texts of all files below a folder by their path, but those that are named. */
export async function filesBelow(folder: string, without: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !without.some((name) => path === join(folder, name)))
      found.set(path.slice(folder.length + 1), await readFile(path, "latin1"));
  }
  return found;
}

/**
 * Where a canary is found in a text, in any form that a person or a program could turn back: as it is and line by line,
 * in base64 at each of its three alignments, URL-encoded, inside of JSON and of JSON in JSON. Written without a look at how they are masked.
 */
export function sightings(canaries: Readonly<Record<string, string>>, text: string): readonly string[] {
  return Object.entries(canaries).flatMap(([name, canary]) =>
    canary
      .split(/[\r\n\t]+/)
      .filter((line) => line.length >= 6 && !line.startsWith("-----"))
      .flatMap((line) => [
        ...(text.includes(line) ? [`${name} as it is`] : []),
        ...(jsonInside(line).some((form) => text.includes(form)) ? [`${name} in JSON`] : []),
        ...(text.toLowerCase().includes(encodeURIComponent(line).toLowerCase()) ? [`${name} in a URL`] : []),
        ...base64Inside(line).flatMap((form) => (text.includes(form) ? [`${name} in base64`] : [])),
      ]),
  );
}

/** In a JSON text, and in one that stands in another one. */
function jsonInside(line: string): readonly string[] {
  const once = JSON.stringify(line).slice(1, -1);
  return [once, JSON.stringify(once).slice(1, -1)];
}

function base64Inside(line: string): readonly string[] {
  return ["", "x", "xx"].map((before) => {
    const whole = Buffer.from(before + line).toString("base64");
    // The characters at both ends also depend on what stands beside the canary.
    return whole.slice(4, Math.floor((before.length + Buffer.byteLength(line)) / 3) * 4);
  });
}
