import { expect } from "vitest";
import type { ApplyReport } from "../../lib/apply/outcome.ts";
import { takeApproved, type Consent } from "../../lib/approval/approve.ts";
import { Refusal } from "../../lib/core/diagnostic.ts";
import { Secret } from "../../lib/core/secret.ts";
import { applyPlan } from "../../lib/engine/apply.ts";
import type { Plan } from "../../lib/plan/change.ts";
import { endingsOf, WITHOUT_SECRETS, type Rig, ZONE } from "./engine.ts";
import type { PlanOptions } from "../../lib/engine/plan-input.ts";

/** Plans again and applies what was approved, as `zoneform apply` does. */
export async function applyApproved(
  rig: Rig,
  consent: Consent,
  options: Partial<PlanOptions> = {},
): Promise<ApplyReport> {
  const { store } = rig.world();
  const { plan, approval } = await takeApproved(store, await rig.plan(options), consent);
  return applyPlan(rig.world(), plan, {
    ...WITHOUT_SECRETS,
    reveal: (reference) => new Secret(("env" in reference ? rig.env[reference.env] : undefined) ?? ""),
    approval,
  });
}

/** Applies what was approved of a plan, and starts no change after this many writes. */
export async function applyFor(
  rig: Rig,
  fresh: Plan,
  consent: Consent,
  writes: number,
  zonesInParallel = 1,
): Promise<ApplyReport> {
  const { plan, approval } = await takeApproved(rig.world().store, fresh, consent);
  const deadlineMilliseconds = rig.clock.now() + 1000;
  let count = 0;
  rig.network(async (request, _index, pass) => {
    if (request.method !== "GET" && (count += 1) === writes) await rig.wait(1000);
    return pass();
  });
  if (writes === 0) await rig.wait(1000);
  const report = await applyPlan(rig.world(), plan, {
    ...WITHOUT_SECRETS,
    zonesInParallel,
    approval,
    deadlineMilliseconds,
  });
  rig.network((_request, _index, pass) => pass());
  return report;
}

/** The result of each change as a line: `create custom_hostname["a.net"] done`. */
export function statuses(report: ApplyReport): readonly string[] {
  return endingsOf(report).map(({ address, action, outcome }) => `${action} ${address} ${outcome.status}`);
}

/** The live hostnames of a zone, in order. */
export function hostnamesOf(rig: Rig, zone: { readonly id: string } = ZONE): readonly string[] {
  return JSON.parse(rig.admin.dashboard("GET", `/zones/${zone.id}/custom_hostnames`).body)
    .result.map(({ hostname }: { hostname: string }) => hostname)
    .toSorted();
}

/** The Refusal that the call throws. Fails the test if it ends in another way. */
export async function refusalOf(act: Promise<unknown>): Promise<Refusal> {
  return act.then(
    () => expect.fail("it was not refused"),
    (thrown: unknown) => (thrown instanceof Refusal ? thrown : expect.fail(String(thrown))),
  );
}
