import type { Awaited, Waited } from "../lib/apply/wait.ts";
import { waitUntilReady } from "../lib/apply/wait.ts";
import { EXIT, type ExitCode } from "../lib/core/exit-code.ts";
import type { Planned } from "../lib/engine/plan.ts";
import type { Plan } from "../lib/plan/change.ts";
import { notReadyText } from "../lib/report/run/ending.ts";
import { type Context, print, printingOn } from "./context.ts";
import { diagnosticsOf, isInterruption, printDiagnostics } from "./failure.ts";
import { realClock } from "../lib/real/clock.ts";
import type { RealWorld } from "../lib/real/world.ts";
import type { CommonOptions } from "./flags.ts";

/** All declared objects, so that a wait that was stopped can continue. */
export function declaredObjects({ plan, project }: Planned): readonly Awaited[] {
  return plan.zones.map(({ zone }) => ({
    zone,
    objects: project.desired.zones.find(({ id }) => id === zone.id)?.objects ?? [],
  }));
}

/** The objects that a saved plan changes: it knows no others. */
export function changedObjects(plan: Plan): readonly Awaited[] {
  return plan.zones.map(({ zone, changes }) => ({
    zone,
    objects: changes.filter(({ desired }) => desired !== undefined),
  }));
}

/** How to wait after an apply. */
export interface Waiting extends CommonOptions {
  readonly limitMilliseconds: number;
  /** Standard output is the end report of the apply, as one document. */
  readonly json?: boolean;
}

/**
 * Waits until every object serves or the time is over, then reports what does not serve, why, and what to do. Returns
 * an exit code also if it is interrupted or a check fails: the apply has ended and been reported.
 */
export async function awaitReady(
  context: Context,
  world: RealWorld,
  plan: Plan,
  awaited: readonly Awaited[],
  flags: Waiting,
): Promise<ExitCode> {
  const report = (left: number): void => {
    if (left > 0) print(context.stderr, `waiting until ${left} ${left === 1 ? "object serves" : "objects serve"}`);
  };
  const client = world.connect(plan.budget);
  const wait = { client, clock: realClock, signal: context.signal, report };
  let waited: Waited;
  try {
    waited = await waitUntilReady(wait, awaited, flags.limitMilliseconds);
  } catch (thrown) {
    if (isInterruption(context, thrown)) return reportInterrupted(context);
    return reportUnseen(context, flags, thrown);
  }
  const { ready, notReady } = waited;
  const text = notReadyText(ready, notReady, printingOn(context, flags));
  print(flags.json ? context.stderr : context.stdout, text);
  return notReady.length === 0 ? EXIT.done : EXIT.notReady;
}

/** We could not check readiness. The apply itself succeeded, so this is not its error. */
async function reportUnseen(context: Context, flags: Waiting, thrown: unknown): Promise<ExitCode> {
  await printDiagnostics(context, flags, await diagnosticsOf(thrown));
  print(
    context.stderr,
    "the apply is done, and its changes stay; whether they serve could not be checked: zoneform status",
  );
  return EXIT.notReady;
}

function reportInterrupted(context: Context): ExitCode {
  print(
    context.stderr,
    "interrupted while waiting: the apply is done, and its changes stay; to wait again, run apply with --wait",
  );
  return EXIT.interrupted;
}
