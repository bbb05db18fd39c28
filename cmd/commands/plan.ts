import type { Command } from "commander";
import { completing, type Context, print, printingOn } from "../context.ts";
import { guardSize, guardWhole, isTooLarge, planInPart, scopeOf } from "../planning.ts";
import { guardOutputs } from "../outputs.ts";
import { annotationsText, commentPrinters, pageText, reportsOf, writeReports } from "../reports.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { planDocument } from "../../lib/report/plan/json.ts";
import { planMarkdown, planText } from "../../lib/report/plan.ts";
import { planReport } from "../../lib/report/sections/plan.ts";
import { planGitlab } from "../../lib/report/printers/gitlab.ts";
import { planTerraform } from "../../lib/report/printers/terraform.ts";
import { planAnnotations } from "../../lib/report/view/annotations.ts";
import { exitOf, planExit } from "../../lib/engine/exit.ts";
import { applyAgain, approveSavedAgain, commandAgain } from "../printed-commands.ts";
import { withCommandToApprove } from "../../lib/approval/lifted.ts";
import { savePlan } from "../saved-plan.ts";
import { openReadingWorld } from "../world.ts";
import { gitRevision } from "../../lib/real/git.ts";
import { openDns } from "../../lib/real/dns.ts";
import type { SelectionFlags } from "../flags.ts";
import type { PlanOptions } from "../../lib/engine/plan-input.ts";

interface PlanFlags extends SelectionFlags {
  readonly out?: string;
  readonly detailedExitcode?: boolean;
  readonly json?: boolean;
  readonly format: "text" | "json";
  readonly report?: readonly string[];
  readonly checkDns?: "changed" | "all";
  readonly resolver?: readonly string[];
  readonly since?: string;
}

/** Runs `zoneform plan`. */
export async function runPlan(context: Context, own: PlanFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<PlanFlags>() };
  const reports = reportsOf("plan", flags.report);
  await guardOutputs(context, flags, { written: [flags.out, ...reports.map(({ file }) => file)] });
  const world = openReadingWorld(context, flags);
  const { plan: made } = await planInPart(context, world, flags, {
    ...(await dnsCheck(context, flags)),
    ...(flags.since === undefined ? {} : { since: gitRevision(flags.since, context) }),
  });
  const plan = withCommandToApprove(
    made,
    flags.out === undefined
      ? `${commandAgain("zoneform apply", flags)} --approve ${made.hash}`
      : approveSavedAgain(flags.out, flags, made.hash),
  );
  const { byZone, code } = exitOf(plan, (section) => planExit(section, flags.detailedExitcode === true));
  const words = isTooLarge(plan, flags) ? {} : { apply: applyCommand(flags, made.hash) };
  const document = (): string => jsonText(planDocument(plan, byZone));
  const isJson = flags.json || flags.format === "json";
  print(context.stdout, isJson ? document() : planText(plan, { ...printingOn(context, flags), ...words }));
  await writeReports(context, reports, {
    text: () => planText(plan, { colour: false, complete: completing(flags), ...words }),
    json: document,
    ...commentPrinters(context, flags, (options) => planMarkdown(plan, { ...words, ...options })),
    html: () => pageText(context, flags, planReport(plan, words), `zoneform plan ${plan.project}`),
    github: () => annotationsText(context, flags, planAnnotations(plan)),
    "gitlab-terraform": () => jsonText(planGitlab(plan)),
    "terraform-json": () => jsonText(planTerraform(plan, { now: world.clock.now(), isPart: isPart(flags) })),
  });
  // A plan that is larger than allowed is shown, but not saved.
  guardSize(plan, flags);
  if (flags.out !== undefined) {
    guardWhole(made);
    await savePlan(context, world, flags.out, { plan: made, scope: scopeOf(flags) });
    print(context.stderr, `saved the plan to ${flags.out}`);
  }
  context.exit(code);
}

/** Whether the flags leave out a part of the project. */
function isPart({ zone = [], target = [], exclude = [] }: PlanFlags): boolean {
  return zone.length + target.length + exclude.length > 0;
}

/** The command that applies exactly this plan: the saved one, or one with the same hash. */
function applyCommand(flags: PlanFlags, hash: string): string {
  return flags.out === undefined
    ? `${commandAgain("zoneform apply", flags)} --expect ${hash}`
    : applyAgain(flags.out, flags);
}

async function dnsCheck(context: Context, { checkDns, resolver }: PlanFlags): Promise<Pick<PlanOptions, "dnsCheck">> {
  if (checkDns === undefined) return {};
  return { dnsCheck: { dns: openDns({ servers: resolver ?? [], signal: context.signal }), scope: checkDns } };
}
