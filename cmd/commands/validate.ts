import { counted, thousands } from "../../lib/core/words.ts";
import type { Command } from "commander";
import { type Context, print, printingOn } from "../context.ts";
import { projectOptions, localWorld } from "../world.ts";
import type { DesiredZone } from "../../lib/config/desired.ts";
import { type Diagnostic, Refusal } from "../../lib/core/diagnostic.ts";
import { readProject, zonesOf } from "../../lib/engine/world.ts";
import { formatDiagnostics } from "../../lib/report/lines/diagnostics.ts";
import { readSourceLines } from "../failure.ts";
import type { ProjectFlags } from "../flags.ts";
import { pathInRepository } from "../reports.ts";

/** Runs `zoneform validate`. */
export async function runValidate(
  context: Context,
  flags: ProjectFlags & { format: "text" | "json" | "github" },
  command: Command,
): Promise<void> {
  const printing = printingOn(context, command.optsWithGlobals());
  const say = async (diagnostics: readonly Diagnostic[]): Promise<void> => {
    if (diagnostics.length === 0 && flags.format !== "json") return;
    const sourceLine = await readSourceLines(context, flags, diagnostics);
    const pathOf = pathInRepository(context, flags);
    const how = { ...printing, format: flags.format, sourceLine, pathOf, isNothingSent: true };
    print(context.stdout, formatDiagnostics(diagnostics, how));
  };
  try {
    const { project, warnings } = await readProject(localWorld(context, flags), projectOptions(flags));
    const zones = zonesOf(project, flags.zone ?? []);
    await say(warnings);
    if (flags.format === "text") print(context.stdout, summary(zones));
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    await say(thrown.diagnostics);
    context.exit(thrown.exitCode);
  }
}

function summary(zones: readonly DesiredZone[]): string {
  const objects = zones.reduce((sum, zone) => sum + zone.objects.length, 0);
  const policies = zones.reduce((sum, { hostnames }) => sum + policyCount(hostnames), 0);
  const declared = [
    counted(zones.length, "zone"),
    ...(objects === 0 ? [] : [counted(objects, "object")]),
    ...(policies === 0 ? [] : [policies === 1 ? "1 policy" : `${thousands(policies)} policies`]),
  ].join(", ");
  const ofApplication = zones.filter(({ hostnames }) => hostnames.isDeclared && hostnames.lifecycle === "app").length;
  const whose = ofApplication === zones.length ? "" : ` of ${counted(ofApplication, "zone")}`;
  const created = ofApplication === 0 ? "" : `; the application creates the hostnames${whose}`;
  return `The configuration is valid: ${declared}${created}.`;
}

/** Counts policies without the exceptions, which are listed after them. */
function policyCount({ policies }: DesiredZone["hostnames"]): number {
  return policies.filter(({ isException }) => !isException).length;
}
