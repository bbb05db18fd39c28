import type { DesiredZone } from "../config/desired.ts";
import { type Diagnostic, Refusal } from "../core/diagnostic.ts";
import { EXIT } from "../core/exit-code.ts";
import type { ZoneClaims } from "../plan/change.ts";
import { byProject, claimedByOther, claimsAfter, claimsOf, ownClaims } from "../plan/claims.ts";
import { areSameThings, type Claim, conflictingClaims } from "../state/zone/claims.ts";
import type { State } from "../state/state.ts";
import { movingCommands } from "./no-state.ts";
import type { ProjectStates } from "./world.ts";

/**
 * Throws `Refusal` with exit code 4 if another project manages something that one of the zones declares. Makes no API
 * call.
 */
export async function guardClaims(
  world: Pick<ProjectStates, "project" | "store" | "stores">,
  claims: readonly Claim[],
  zones: readonly DesiredZone[],
): Promise<void> {
  const found: Diagnostic[] = [];
  for (const zone of zones) {
    const { id, name, at } = zone;
    const conflicts = conflictingClaims(claims, { project: world.project, zone: id, things: claimsOf(zone) });
    for (const theirs of byProject(conflicts)) found.push({ ...(await explained(world, name, theirs)), at });
  }
  if (found.length > 0) throw new Refusal(found, EXIT.refused);
}

/** After a rename, the claims of the old name are in the way: the remedy is to move the states. */
async function explained(
  { store, stores }: Pick<ProjectStates, "store" | "stores">,
  zone: string,
  claims: readonly [Claim, ...Claim[]],
): Promise<Diagnostic> {
  const [claim] = claims;
  const isRenamed =
    !(await store.zones()).includes(claim.zone) && (await stores.of(claim.project).zones()).includes(claim.zone);
  return claimedByOther(zone, claims, isRenamed ? movingCommands([claim.project]) : []);
}

/** What an apply of the zone would claim. */
export function zoneClaims(
  claims: readonly Claim[],
  project: string,
  zone: DesiredZone,
  { state, isDestroy = false }: { readonly state: State | undefined; readonly isDestroy?: boolean | undefined },
): ZoneClaims {
  const declared = isDestroy ? [] : claimsOf(zone);
  const before = ownClaims(claims, project, zone.id);
  const after = claimsAfter(declared, before, state?.objects.values() ?? []);
  return { declared, willChange: !areSameThings(before, after) };
}
