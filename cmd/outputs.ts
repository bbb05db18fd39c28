import { problem, Refusal, refusal } from "../lib/core/diagnostic.ts";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { approvedHash, type Consent } from "../lib/approval/approve.ts";
import { loadProject } from "../lib/config/load.ts";
import { defined, isObject, parseObject } from "../lib/core/json.ts";
import { errorCode } from "../lib/core/file-system.ts";
import { realClock } from "../lib/real/clock.ts";
import { diskFrom } from "../lib/real/disk.ts";
import { givenAddress, schemeOf } from "../lib/real/state-address.ts";
import { stateFolderOf } from "../lib/real/engines.ts";
import type { Context } from "./context.ts";
import { reportingStops } from "./ending.ts";
import type { ProjectFlags, Reporting } from "./flags.ts";
import { applyReports } from "./reports.ts";

/**
 * The files that a command is about to write according to its flags, and the files that it reads besides the project's.
 */
interface Outputs {
  readonly written?: readonly (string | undefined)[];
  readonly read?: readonly (string | undefined)[];
}

/**
 * Throws `Refusal` for an output that would replace a file that the command reads, for one that is in the folder of the
 * states, and for two with the same file. Commands call it first, before they use the network or write anything.
 */
export async function guardOutputs(
  context: Context,
  flags: ProjectFlags,
  { written = [], read = [] }: Outputs,
): Promise<void> {
  const outputs = written.filter((file) => file !== undefined);
  if (outputs.length === 0) return;
  const real = (file: string): Promise<string> => realPathOf(resolve(context.cwd, file));
  const paths = await Promise.all(outputs.map(real));
  const places = paths.map((path, index) => ({ folder: dirname(path), name: basename(outputs[index] ?? path) }));
  const files = [...(await projectFiles(context, flags, places)), ...read.filter((file) => file !== undefined)];
  const inputs = new Set(await Promise.all(files.map(real)));
  const folders = await Promise.all(stateFolders(context, flags).map(real));
  for (const [index, path] of paths.entries()) {
    const file = outputs[index] ?? path;
    if (inputs.has(path)) throw notAnOutput(file, "this command reads it");
    if (paths.indexOf(path) < index) throw refusal(problem("same-output", { file }));
    if (folders.some((folder) => `${path}${sep}`.startsWith(`${folder}${sep}`)))
      throw notAnOutput(file, "it is in the folder of the states");
  }
}

/** The same for a command that writes live, and for its reports. An invalid hash is refused before the project is read. */
export async function guardRun(
  context: Context,
  flags: ProjectFlags & Reporting & Pick<Consent, "expect" | "approve">,
  outputs: Outputs = {},
): Promise<void> {
  const { config, json = false } = flags;
  await reportingStops(context, { config, json }, () => {
    approvedHash(flags);
    const reports = applyReports(flags).map(({ file }) => file);
    return guardOutputs(context, flags, { ...outputs, written: [...(outputs.written ?? []), ...reports] });
  });
}

/**
 * Every file that the project names, including those that it would read once the outputs exist: a pattern of `zones`
 * may match one. Errors in the project are ignored here: the command reads it again, and reports them. Rows of sources
 * are not needed.
 */
async function projectFiles(
  { cwd, env }: Context,
  flags: ProjectFlags,
  outputs: readonly { readonly folder: string; readonly name: string }[],
): Promise<readonly string[]> {
  const disk = diskFrom(cwd);
  const found: string[] = [];
  const stat: typeof disk.stat = (path) => {
    found.push(path);
    return disk.stat(path);
  };
  const list: typeof disk.list = async (path) => {
    const added = outputs.filter(({ folder }) => folder === path.toLowerCase());
    return [...(await disk.list(path)), ...added.map(({ name }) => ({ name, kind: "file" as const }))];
  };
  const fs = { ...disk, stat, list, stream: nothing };
  const options = { file: flags.config, secrets: "where-at-hand", ...defined({ sources: flags.source }) } as const;
  await loadProject({ fs, env, today: realClock.now() }, options);
  return found;
}

async function* nothing(): AsyncIterable<Uint8Array> {}

/** The default folder counts even if the states are elsewhere now: they may have been there before. */
function stateFolders({ cwd, env }: Context, { config, state }: ProjectFlags): readonly string[] {
  const given = givenAddress(state, env)?.text;
  const usual = stateFolderOf(resolve(cwd, config));
  return given === undefined || schemeOf(given) !== undefined ? [usual] : [usual, given];
}

/** A path without links, in lower case: on many disks, names that differ only in case are one file. */
async function realPathOf(path: string): Promise<string> {
  for (let known = path, rest = ""; ; rest = join(basename(known), rest), known = dirname(known)) {
    const real = await realpath(known).catch((cause: unknown) => {
      if (errorCode(cause) === undefined) throw cause;
      return undefined;
    });
    if (real !== undefined) return join(real, rest).toLowerCase();
    if (known === dirname(known)) return path.toLowerCase();
  }
}

function notAnOutput(file: string, why: string): Refusal {
  return refusal(problem("not-an-output", { file, why }));
}

/** Lines that are useless with a secret masked: what to call them, and the remedy if they cannot be written. */
export interface Intact {
  readonly name: string;
  readonly remedy: string;
}

/**
 * Throws `Refusal` if one of the lines contains a known secret. Plans and states end with a checksum, so with a secret
 * masked they could not be read again. Call it before the first line is written, so that nothing is.
 */
export function refuseSecrets({ redaction }: Context, lines: Iterable<string>, { name, remedy }: Intact): void {
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (redaction.redact(line) === line) continue;
    const address = addressIn(line);
    const place = `line ${number} of ${name}${address === undefined ? "" : `, ${address},`}`;
    throw refusal(problem("secret-inside", { place }, { remedy }));
  }
}

/** The object of a line of a plan or a state; undefined if the line concerns a whole zone, or is damaged. */
function addressIn(line: string): string | undefined {
  const value = parseObject(line);
  const about = isObject(value?.["change"]) ? value["change"] : value;
  const address = about?.["address"];
  return typeof address === "string" ? address : undefined;
}
