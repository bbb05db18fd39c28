import { problem, refusal } from "../lib/core/diagnostic.ts";
import { defined } from "../lib/core/json.ts";
import type { SelectionFlags } from "./flags.ts";
import { EXIT } from "../lib/core/exit-code.ts";
import { diagnosticsOf, throwFailures } from "../lib/engine/each-zone.ts";
import { makePartialPlan, makePlan, type Planned } from "../lib/engine/plan.ts";
import type { ProjectOptions } from "../lib/engine/world.ts";
import type { FailedZone, Plan } from "../lib/plan/change.ts";
import type { Selection } from "../lib/plan/inputs.ts";
import type { PlanScope } from "../lib/plan/scope.ts";
import { readSelection } from "../lib/engine/selection.ts";
import type { Context } from "./context.ts";
import { printDiagnostics } from "./failure.ts";
import { projectOptions } from "./world.ts";
import type { RealWorld } from "../lib/real/world.ts";
import type { PlanOptions } from "../lib/engine/plan-input.ts";

/** Plans according to the flags and prints warnings about the configuration. Throws what planning throws. */
export async function planFromFlags(
  context: Context,
  world: RealWorld,
  flags: SelectionFlags,
  more: Pick<PlanOptions, "isDestroy" | "dnsCheck" | "records"> = {},
): Promise<Planned> {
  const made = await makePlan(world, { ...selectedOptions(flags), ...more });
  await printDiagnostics(context, flags, made.warnings);
  return made;
}

/**
 * The same, with zones that cannot be planned shown beside the others (`Plan.failed`). Throws if there are no others.
 */
export async function planInPart(
  context: Context,
  world: RealWorld,
  flags: SelectionFlags & { readonly json?: boolean; readonly format: string },
  more: Pick<PlanOptions, "dnsCheck" | "since">,
): Promise<Planned> {
  const made = await makePartialPlan(world, { ...selectedOptions(flags), ...more });
  const { zones, failed = [] } = made.plan;
  const isShown = zones.length > 0 || flags.json === true || flags.format === "json";
  if (!isShown) throwFailures({ failed });
  await reportFailures(context, flags, { warnings: made.warnings, failed });
  return made;
}

/** Prints warnings about the configuration, and why zones could not be planned. */
export async function reportFailures(
  context: Context,
  flags: SelectionFlags,
  { warnings, failed }: Pick<Planned, "warnings"> & { readonly failed: readonly FailedZone[] },
): Promise<void> {
  await printDiagnostics(context, flags, [...warnings, ...diagnosticsOf(failed)]);
}

/** The configuration that the flags name, and the part of it that they select. */
export function selectedOptions(flags: SelectionFlags): ProjectOptions & { readonly selection: Selection } {
  return { ...projectOptions(flags), selection: readSelection(flags) };
}

/** Throws `Refusal` for a plan that lacks zones: once saved, it would look complete. */
export function guardWhole({ failed = [] }: Plan): void {
  const [first] = failed;
  if (!first) return;
  const zones = failed.map(({ zone }) => zone.name).join(", ");
  throw refusal(problem("plan-not-saved", { zones }), first.exitCode);
}

/** Whether a plan has more changes than `--max-changes` allows, so that no command applies it. */
export function isTooLarge(plan: Plan, { maxChanges }: SelectionFlags): boolean {
  return maxChanges !== undefined && changeCount(plan) > maxChanges;
}

function changeCount({ zones }: Plan): number {
  return zones.reduce((sum, { changes }) => sum + changes.length, 0);
}

/** Throws `Refusal` (exit code 4) for a plan that has more changes than `--max-changes` allows. */
export function guardSize(plan: Plan, flags: SelectionFlags): void {
  const { maxChanges: most } = flags;
  if (most === undefined || !isTooLarge(plan, flags)) return;
  throw refusal(problem("too-many-changes", { count: changeCount(plan), most }), EXIT.refused);
}

/** The scope that the flags ask for. */
export function scopeOf(flags: SelectionFlags): PlanScope {
  const { zone = [], target = [], exclude = [], deny = [], source = {}, completeSource } = flags;
  const complete = defined({ completeSources: completeSource });
  return { zones: zone, target, exclude, deny, sources: source, ...complete, isDestroy: false };
}

/** The flags that give a plan the scope of a saved one, so that it can be made again. */
export function flagsFor<Flags extends SelectionFlags>(scope: PlanScope, flags: Flags): Flags {
  const { zones, target, exclude, deny, sources, completeSources = [] } = scope;
  const complete = [...new Set([...completeSources, ...(flags.completeSource ?? [])])];
  return {
    ...flags,
    ...(zones.length === 0 ? {} : { zone: zones }),
    ...(Object.keys(sources).length === 0 ? {} : { source: { ...sources, ...flags.source } }),
    ...(complete.length === 0 ? {} : { completeSource: complete }),
    target,
    exclude,
    // What was denied at the approval stays denied; the apply may deny more.
    deny: [...new Set([...deny, ...(flags.deny ?? [])])],
  };
}

/** Throws `Refusal` for flags that select another part of the project: a saved plan has a fixed scope. */
export function refuseSelection(flags: SelectionFlags): void {
  const given = (["target", "exclude", "zone"] as const).filter((name) => flags[name] !== undefined);
  if (given.length === 0) return;
  throw refusal(problem("selection-of-saved-plan", { flags: given.map((name) => `--${name}`).join(", ") }));
}
