import type { Awaited, NotReady } from "../lib/apply/wait.ts";
import { waitUntilReady } from "../lib/apply/wait.ts";
import { EXIT, type ExitCode } from "../lib/core/exit-code.ts";
import type { Planned } from "../lib/engine.ts";
import type { Plan } from "../lib/plan/change.ts";
import { notReadyText } from "../lib/render/not-ready.ts";
import { type CommonOptions, type Context, print, printingOn } from "./context.ts";
import { realClock, type ServiceWorld } from "./world.ts";

/** Everything that is declared, so that a wait that was stopped goes on where it was. */
export function declaredObjects({ plan, project }: Planned): readonly Awaited[] {
  return plan.zones.map(({ zone }) => ({
    zone,
    objects: project.desired.zones.find(({ id }) => id === zone.id)?.objects ?? [],
  }));
}

/** Of a saved plan only what it changes is known. */
export function changedObjects(plan: Plan): readonly Awaited[] {
  return plan.zones.map(({ zone, changes }) => ({
    zone,
    objects: changes.filter(({ desired }) => desired !== undefined),
  }));
}

/** Waits until everything serves, or the time is over; says what does not, why, and what to do. Gives the exit code. */
export async function awaitReady(
  context: Context,
  world: ServiceWorld,
  plan: Plan,
  awaited: readonly Awaited[],
  { limitMilliseconds, ...flags }: CommonOptions & { readonly limitMilliseconds: number },
): Promise<ExitCode> {
  const report = (left: number): void => {
    if (left > 0) print(context.stderr, `waiting until ${left} ${left === 1 ? "object serves" : "objects serve"}`);
  };
  const client = world.connect(plan.budget);
  const waited = await waitUntilReady(
    { client, clock: realClock, signal: context.signal, report },
    awaited,
    limitMilliseconds,
  );
  const { ready, notReady }: { ready: number; notReady: readonly NotReady[] } = waited;
  print(context.stdout, notReadyText(ready, notReady, printingOn(context, flags)));
  return notReady.length === 0 ? EXIT.done : EXIT.notReady;
}
