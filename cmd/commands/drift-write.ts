import { dirname, resolve } from "node:path";
import { counted } from "../../lib/core/words.ts";
import { shellQuoted } from "../../lib/core/quote.ts";
import { driftExit, driftExits } from "../../lib/engine/exit.ts";
import { checkUnchanged, keepDrift, type KeptDrift } from "../../lib/engine/keep-drift.ts";
import { readHazards } from "../../lib/engine/selection.ts";
import type { RealWorld } from "../../lib/real/world.ts";
import { driftReport } from "../../lib/report/commands/drift.ts";
import { keptReport } from "../../lib/report/commands/kept.ts";
import { reportText } from "../../lib/report/printers/text.ts";
import { confirmWithUser } from "../confirming.ts";
import { type Context, print, printingOn } from "../context.ts";
import type { SelectionFlags } from "../flags.ts";
import { replaceFile } from "../output-file.ts";
import { reportFailures, selectedOptions } from "../planning.ts";
import { commandAgain } from "../printed-commands.ts";

type DriftWriteFlags = SelectionFlags & {
  /** Addresses, or `true` for all drift. */
  readonly write: readonly string[] | true;
  readonly autoApprove?: boolean;
  readonly record: boolean;
  readonly failOn?: readonly string[];
};

/**
 * Runs `zoneform drift --write`: shows the new lines of the files, asks, and replaces the files. The exit code is that
 * of a drift check afterwards.
 */
export async function writeDrift(context: Context, world: RealWorld, given: DriftWriteFlags): Promise<void> {
  const addresses = given.write === true ? [] : given.write;
  const flags = { ...given, target: [...(given.target ?? []), ...addresses] };
  const failOn = readHazards(flags.failOn ?? []);
  const options = selectedOptions(flags);
  const drift = await keepDrift(world, { ...options, records: flags.record });
  await reportFailures(context, flags, drift);
  const printing = printingOn(context, flags);
  if (drift.kept.length + drift.notKept.length === 0) {
    const found = driftReport(drift, world.clock.now(), options.selection);
    if (drift.zones.length > 0) print(context.stdout, reportText(found, printing));
  } else print(context.stdout, reportText(keptReport(drift), printing));
  const isWritten = drift.files.length > 0 && (await approveAndWrite(context, world, drift, given));
  const codes = drift.zones.map(({ section, judgement }, index) => ({
    name: section.zone.name,
    code: driftExit((isWritten ? drift.after[index] : undefined) ?? judgement, failOn),
  }));
  context.exit(driftExits(codes, drift.failed).code);
}

/** Returns whether the files were written. Throws `Refusal` if one was changed meanwhile, or if nobody can be asked. */
async function approveAndWrite(
  context: Context,
  world: RealWorld,
  drift: KeptDrift,
  { autoApprove, write, ...flags }: DriftWriteFlags,
): Promise<boolean> {
  const { files, kept } = drift;
  const named = write === true ? [" --write"] : write.map((address) => ` --write ${shellQuoted(address)}`);
  const isYes =
    autoApprove === true ||
    (await confirmWithUser(context, {
      ask: "Write this into the files?",
      declined: "not approved; nothing was written",
      what: "these changes of files",
      remedy: "review the lines above, then run:",
      command: commandAgain(`zoneform drift${named.join("")} --auto-approve`, flags),
    }));
  if (!isYes) return false;
  await checkUnchanged(world, files);
  const folder = dirname(resolve(context.cwd, flags.config));
  for (const { name, after } of files) await replaceFile(context.cwd, resolve(folder, name), after);
  print(
    context.stdout,
    `\nwrote ${files.map(({ name }) => name).join(", ")}: ${counted(kept.length, "object")} ${kept.length === 1 ? "is" : "are"} declared as live\nto record this in the state: zoneform apply`,
  );
  return true;
}
