import type { Change, Plan } from "../../lib/plan/change.ts";
import type { State } from "../../lib/state/state.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import type { SimService } from "./sim-service.ts";
import { trueHold, trueHostname, trueMigration, truePacks, trueRules, trueSetting } from "./truth.ts";
import { OWN_PREFIX, PHASE, type Wish } from "./wish.ts";
import { MIGRATION } from "./writes.ts";

/** This many applies without a fault reach the wish from any situation. */
export const APPLIES_TO_CONVERGE = 3;
/** Long enough for every certificate to be deployed, so that nothing is held any more. */
export const PAUSE_MILLISECONDS = 3_600_000;

/** The service's word for each target of a zone's migration. */
const REACHED = { validation: "validation", new: "complete" } as const;

/** What a plan would still do: nothing, once live is as wished. Blocked changes stay, because a person has to decide. */
export function leftIn(plan: Plan | undefined): readonly string[] {
  const changes = plan?.zones.flatMap((section) => section.changes) ?? [];
  return changes
    .filter(({ action, refused }) => !refused && action !== "held")
    .map(({ action, address }) => `${action} ${address}`);
}

/** Whether a plan has nothing to do, and nothing is held. */
export function isSettled(plan: Plan | undefined): boolean {
  const isHeld = plan?.zones.some(({ changes }) => changes.some(({ action }) => action === "held")) ?? true;
  return !isHeld && leftIn(plan).length === 0;
}

/** What a guard blocks in a plan: keys, kinds that a zone has only one object of, and ids, if several have one name. */
export function refusedIn(plan: Plan | undefined): ReadonlySet<string> {
  const changes = plan?.zones.flatMap((section) => section.changes) ?? [];
  return new Set(changes.flatMap((change) => (change.refused ? namesOf(change) : [])));
}

/** The names of a change, including what its call would also write. */
function namesOf({ kind, key, id, with: companion }: Change): readonly string[] {
  return [key || kind, ...(id === undefined ? [] : [id]), ...(companion ? namesOf(companion) : [])];
}

/** How live differs from the wish, by the service's own truth. What is blocked may stay as it is. */
export function differencesFrom(
  { service, ledger }: Stage,
  wish: Wish,
  state: State | undefined,
  refused: ReadonlySet<string>,
): readonly string[] {
  const found: string[] = [];
  // Branding is never shown: if the engine did not see a hostname being created, or once released it, nobody can know
  // it.
  const isUnknown = (id: string): boolean =>
    [ledger.foreign, ledger.unanswered, ledger.released].some((ids) => ids.has(id));
  if (wish.lifecycle === "zoneform") {
    for (const [name, wished] of wish.hostnames) {
      if (refused.has(name)) continue;
      const live = trueHostname(service, name);
      const isAs =
        live &&
        [undefined, live.origin].includes(wished.origin) &&
        [undefined, live.tier].includes(wished.tier) &&
        (wished.tls === undefined || wished.tls === "none" || wished.tls === live.tls) &&
        (wished.branding === undefined || isUnknown(live.id) || wished.branding === live.branding);
      if (!isAs) found.push(`${name} is ${JSON.stringify(live ?? null)}, wished ${JSON.stringify(wished)}`);
    }
    // What a request whose answer was lost may have created is remembered for a while.
    for (const { kind, key, undeclared, pending } of state?.objects.values() ?? []) {
      if (kind === "custom_hostname" && !undeclared && !pending && !wish.hostnames.has(key) && !refused.has(key))
        found.push(`${key} is still tracked, and no longer wished`);
    }
  }
  if (wish.rules) {
    const ours = (trueRules(service) ?? []).filter(({ isOurs }) => isOurs).map(({ ref }) => ref);
    const wished = wish.rules.map(({ name }) => `${OWN_PREFIX}${name}`);
    if (!refused.has(PHASE) && ours.join(" ") !== wished.join(" "))
      found.push(`the rules are ${ours.join(" ")}, wished ${wished.join(" ")}`);
  }
  for (const hosts of new Set([...wish.packs.keys(), ...truePacks(service).map((pack) => pack.hosts)])) {
    const live = truePacks(service).filter((pack) => pack.hosts === hosts && !refused.has(pack.id));
    const wished = wish.packs.get(hosts);
    const isAs = live.length === (wished === undefined ? 0 : 1) && live.every(({ authority }) => authority === wished);
    if (!isAs && !refused.has(hosts))
      found.push(`the packs of ${hosts} are ${JSON.stringify(live)}, wished ${wished ?? "none"}`);
  }
  const live = trueMigration(service);
  const step = live.isFinishing && wish.migration?.target === "new" ? REACHED.new : live.state;
  if (wish.migration && !refused.has(MIGRATION) && step !== REACHED[wish.migration.target])
    found.push(`the migration stands at ${step}, wished ${wish.migration.target}`);
  const { fallbackOrigin, totalTls } = service.zone();
  if (wish.fallback !== undefined && fallbackOrigin?.origin !== wish.fallback)
    found.push(`the fallback origin is ${fallbackOrigin?.origin ?? "none"}, wished ${wish.fallback}`);
  if (wish.totalTls && totalTls.enabled !== wish.totalTls.enabled)
    found.push(`Total TLS is ${String(totalTls.enabled)}, wished ${String(wish.totalTls.enabled)}`);
  return [...found, ...otherSettings(service, wish, refused)];
}

function otherSettings(service: SimService, { hold, settings }: Wish, refused: ReadonlySet<string>): readonly string[] {
  const live = trueHold(service);
  const isHeldAs = !hold || (hold.hold === live.hold && (!hold.hold || hold.subdomains === live.subdomains));
  const others = [...settings].filter(([name, value]) => !refused.has(name) && trueSetting(service, name) !== value);
  return [
    ...(isHeldAs || refused.has("zone_hold")
      ? []
      : [`the hold is ${JSON.stringify(live)}, wished ${JSON.stringify(hold)}`]),
    ...others.map(([name, value]) => `${name} is ${trueSetting(service, name)}, wished ${value}`),
  ];
}

/** Why a run without any fault did not do its work, in words. */
export function troubleOf({ how, thrown, report }: RunEnd): string {
  if (thrown instanceof Error) return `${how}: ${thrown.message}`;
  const zone = report?.zones[0];
  const said = [
    ...(zone?.stopped?.diagnostics ?? []).map(({ message }) => message),
    ...(zone?.unsaved ? [zone.unsaved.message] : []),
    ...(zone?.locked === undefined ? [] : [zone.locked.message]),
    ...(zone?.ended ?? [])
      .filter(({ outcome }) => outcome.status !== "done" && outcome.status !== "held")
      .map(({ address, outcome }) => `${address} ${JSON.stringify(outcome)}`),
  ];
  return said.join("; ");
}
