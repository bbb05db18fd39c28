import type { WriteFlags } from "./flags.ts";
import { defined } from "../lib/core/json.ts";
import { resolve } from "node:path";
import type { ExitCode } from "../lib/core/exit-code.ts";
import type { ApplyOptions, Pace } from "../lib/apply/run.ts";
import { applyPlan } from "../lib/engine/apply.ts";
import { totalCost } from "../lib/plan/cost.ts";
import { isResumable } from "../lib/apply/outcome.ts";
import { applyExit, hasChangedLive } from "../lib/engine/exit.ts";
import { revealer } from "../lib/config/secrets.ts";
import type { Approval } from "../lib/approval/approval.ts";
import type { Plan } from "../lib/plan/change.ts";
import { openProgress } from "../lib/report/run/progress.ts";
import { reportDocument } from "../lib/report/run/report-json.ts";
import { type Printing, reportText } from "../lib/report/printers/text.ts";
import type { Report } from "../lib/report/sections/report.ts";
import { runReport } from "../lib/report/run/report.ts";
import { applyNotice } from "../lib/report/notice.ts";
import { duration } from "../lib/report/lines/words.ts";
import type { ServiceEvent } from "../lib/service/service-event.ts";
import { WAITING_WORDS } from "./announce.ts";
import { reportEnding } from "./ending.ts";
import { annotationsText, reportPrinters } from "./reports.ts";
import { applyAnnotations } from "../lib/report/view/annotations.ts";
import { confirmWithUser, type Question } from "./confirming.ts";
import { completing, type Context, print, printingOn } from "./context.ts";
import type { Notify } from "./notify.ts";
import { undoAgain } from "./printed-commands.ts";
import { realClock } from "../lib/real/clock.ts";
import { lockHolder, type RealWorld } from "../lib/real/world.ts";
import type { ProjectStates } from "../lib/engine/world.ts";

/**
 * Whether an apply of the plan would write anything, live or in the state. The journal of a stopped run, changed claims
 * and the first state of a zone count too: without a state there is no drift to find.
 */
export function isWorthApplying(plan: Plan): boolean {
  return plan.zones.some(
    ({ lineage, changes, bookkeeping, journalRecords = 0, claims }) =>
      lineage === undefined ||
      claims?.willChange === true ||
      changes.length + bookkeeping.remember.length + bookkeeping.drop.length + journalRecords > 0 ||
      bookkeeping.sources !== undefined,
  );
}

/** Whether foreign rules are dangerous or changed, so that a review would be recorded. */
export function hasNews({ zones }: Plan): boolean {
  return zones.some(({ watch }) => watch?.isNews === true);
}

/** The question about a plan, and the command that answers yes if stdin is not a terminal. */
type Asked = Omit<Question, "declined">;

/** The question about a plan; `command` applies the plan without asking. */
export function askToApply(command: string): Asked {
  return {
    ask: "Apply these changes?",
    what: "the plan",
    remedy: "to apply exactly these changes, review them, then run:",
    command,
  };
}

/**
 * Prints a plan before it is applied. With --json, standard output belongs to the report, so the plan goes to standard
 * error, and only if the user is asked about it.
 */
export function showPlan(context: Context, flags: WriteFlags, { report, printing }: Shown, isApproved: boolean): void {
  if (!flags.json) print(context.stdout, reportText(report, printing));
  else if (!isApproved) print(context.stderr, reportText(report, printing));
}

/** A report, and how it is printed. */
export interface Shown {
  readonly report: Report;
  readonly printing: Printing;
}

/**
 * Asks for approval if the plan has changes; in a terminal also if foreign rules have changed. Throws `Refusal` if
 * there are changes and stdin is not a terminal.
 */
export async function promptApproval(
  context: Context,
  plan: Plan,
  { report, printing }: Shown,
  question: Asked,
): Promise<"yes" | "no" | "nothing to ask"> {
  const hasChanges = plan.zones.some(({ changes }) =>
    changes.some(({ action, refused }) => action !== "held" && !refused),
  );
  if (!hasChanges && !(hasNews(plan) && context.stdin.isTTY)) return "nothing to ask";
  const ask = hasChanges ? question.ask : "Record the foreign rules as reviewed?";
  const isYes = await confirmWithUser(context, {
    ...question,
    ask,
    declined: "not approved; nothing was changed",
    full: () => reportText(report, { ...printing, isFull: true }),
  });
  return isYes ? "yes" : "no";
}

/** Applies a plan with progress, prints the final report, and sets and returns the exit code. */
export async function carryOut(
  context: Context,
  world: RealWorld & ProjectStates,
  plan: Plan,
  flags: WriteFlags,
  how: CarryingOut,
): Promise<ExitCode> {
  const progress = openProgress({
    stream: context.stderr,
    isTerminal: context.stderr.isTTY === true && context.env["TERM"] !== "dumb",
    zones: plan.zones.map(({ zone, changes }) => ({ name: zone.name, total: changes.length })),
    isParallel: flags.zonesInParallel > 1,
    leastSeconds: totalCost(plan).seconds,
    clock: realClock,
  });
  how.waiting.sink = (event) => {
    if (event.type === "waiting") progress.report({ ...event, reason: WAITING_WORDS[event.reason] });
  };
  const announce = (): void => {
    progress.stop();
    print(context.stderr, "\nstopping after the calls in flight; press Ctrl-C again to stop at once");
  };
  context.signal.addEventListener("abort", announce, { once: true });
  const holder = lockHolder(context.env, how.operation);
  const began = realClock.now();
  const report = await applyPlan(world, plan, {
    holder,
    approved: { by: holder.who, how: how.approved },
    ...defined({ approval: how.approval, states: how.states }),
    ...paceOf(flags, how.startedAt),
    reveal: revealer(world, resolve(context.cwd, flags.config)),
    report: (event) => progress.report(event),
  }).finally(() => progress.stop());
  context.done.isLiveChanged = hasChangedLive(report);
  const { byZone, code } = applyExit(report);
  const resume = code === 0 || !isResumable(report) ? {} : { resume: how.resume };
  const undo = report.zones.some(({ canBeUndone }) => canBeUndone) ? { undo: undoAgain(report.run, flags) } : {};
  const seconds = (realClock.now() - began) / 1000;
  const final = runReport(report, { complete: completing(flags), ...resume, ...undo, seconds });
  if (!flags.json) print(context.stdout, reportText(final, printingOn(context, flags)));
  context.exit(code);
  await how.notify?.(() => applyNotice(plan, report, code, seconds));
  await reportEnding(context, flags, {
    json: () => ({ ...reportDocument(report, byZone), ...resume, ...undo }),
    ...reportPrinters(context, flags, final, `zoneform ${how.operation} ${plan.project}`),
    github: () => annotationsText(context, flags, applyAnnotations(report)),
  });
  return code;
}

/** How fast and how long the run may apply according to the flags, and what its report says when that time is over. */
function paceOf(
  { lockTimeout, parallelism, zonesInParallel, maxDuration }: WriteFlags,
  startedAt: number,
): Pace & Pick<ApplyOptions, "deadlineReason"> {
  return {
    lockWaitMilliseconds: lockTimeout * 1000,
    parallelism: Math.max(1, parallelism),
    zonesInParallel: Math.max(1, zonesInParallel),
    ...(maxDuration === undefined
      ? {}
      : {
          deadlineMilliseconds: startedAt + maxDuration,
          deadlineReason: `the --max-duration of ${duration(maxDuration / 1000)} is over`,
        }),
  };
}

/** The context in which a plan is applied. */
export interface CarryingOut {
  readonly operation: string;
  /** The command that resumes the run if it stops. */
  readonly resume: string;
  readonly waiting: WaitingSink;
  /** Told how it ended. */
  readonly notify?: Notify;
  /** How it was approved, for the record of the run: by a saved plan, a flag, or the answer at the prompt. */
  readonly approved: string;
  /** When the command began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The approval, if the plan is only a part of it. */
  readonly approval?: Approval;
  readonly states?: ApplyOptions["states"];
}

/** Receives events of the service: the client is made before the progress that shows them. */
export interface WaitingSink {
  sink: (event: ServiceEvent) => void;
}

/** Flags that approve a plan. */
interface ApprovalFlags {
  readonly approve?: string;
  readonly expect?: string;
  readonly autoApprove?: boolean;
}

/** How a plan is approved without a flag or a saved plan. */
export const PROMPT = "prompt";

/** How a plan is approved, for the record of its run. */
export function howApproved({ approve, expect, autoApprove }: ApprovalFlags): string {
  if (approve !== undefined) return "--approve";
  if (expect !== undefined) return "--expect";
  return autoApprove ? "--auto-approve" : PROMPT;
}
