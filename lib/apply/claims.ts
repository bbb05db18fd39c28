import { Refusal } from "../core/diagnostic.ts";
import { EXIT } from "../core/exit-code.ts";
import type { ZonePlan } from "../plan/change.ts";
import { byProject, claimedByOther, claimsAfter, claimsDuring } from "../plan/claims.ts";
import { areSameThings, type Claim, type Claimable } from "../state/zone/claims.ts";
import type { State } from "../state/state.ts";
import type { Lease } from "../state/lock.ts";
import type { ApplyRun } from "./run.ts";

/**
 * Claims what a zone's part of the plan manages, before anything is written. Returns whether that is more than the YAML
 * declares, so that the rest must be released at the end. Needs the zone's lock. Throws `Refusal` with exit code 4 if
 * another project has some of it.
 */
export async function takeClaims(
  { world }: ApplyRun,
  section: ZonePlan,
  lease: Lease,
  state: State | undefined,
): Promise<boolean> {
  const { zone, claims } = section;
  if (!claims) return false;
  const written = section.changes.filter(({ action, refused }) => action !== "held" && !refused);
  const managed = [...(state?.objects.values() ?? []), ...written];
  let things: readonly Claimable[] = [];
  const conflicts = await world.stores.claims.take(
    {
      project: world.project,
      zone: zone.id,
      things: (own) => (things = claimsDuring(claims.declared, own, managed)),
    },
    () => world.store.checkHeld(zone.id, lease),
    world.signal,
  );
  if (conflicts.length > 0) {
    throw new Refusal(
      byProject(conflicts).map((claims) => claimedByOther(zone.name, claims)),
      EXIT.refused,
    );
  }
  return !areSameThings(things, claims.declared);
}

/**
 * Releases what the project no longer declares or tracks, after every change is done and the state is saved. Needs the
 * zone's lock.
 */
export async function settleClaims(
  { world }: ApplyRun,
  { zone, claims }: ZonePlan,
  lease: Lease,
  state: State,
): Promise<void> {
  if (!claims) return;
  const things = (own: readonly Claim[]): readonly Claimable[] =>
    claimsAfter(claims.declared, own, state.objects.values());
  await world.stores.claims.take({ project: world.project, zone: zone.id, things }, () =>
    world.store.checkHeld(zone.id, lease),
  );
}
