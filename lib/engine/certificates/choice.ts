import type { DesiredObject, DesiredZone } from "../../config/desired.ts";
import { desiredFor } from "../../config/policies.ts";
import { EMPTY, type Json, valueAt } from "../../core/json.ts";
import { isHostname } from "../../kinds/registry.ts";
import { factsOf, hostnameAddress } from "../../plan/targets.ts";
import type { Live } from "../../kinds/live.ts";
import type { State } from "../../state/state.ts";

/**
 * Returns the CA that was chosen for a hostname: the value that was last sent, else the declared one. Live does not
 * show it, only the CA that issued (docs/semantics.md#choice-of-ca).
 */
export function choices(zone: DesiredZone, state: State | undefined): (live: Live) => string | undefined {
  return sentOrWanted(zone, state, AUTHORITY);
}

/** Returns whether a CA was sent for a hostname, as far as we know. */
export function sentChoices(state: State | undefined): (live: Live) => boolean {
  return ({ key }) => textOf(valueAt(state?.objects.get(hostnameAddress(key))?.applied, AUTHORITY)) !== undefined;
}

/**
 * Returns the bundle method of a hostname's upload, which live does not always show
 * (docs/service.md#custom-hostname-record).
 */
export function bundleMethods(zone: DesiredZone, state: State | undefined): (live: Live) => string | undefined {
  const known = sentOrWanted(zone, state, BUNDLE_METHOD);
  return (live) => textOf(valueAt(live.values, BUNDLE_METHOD)) ?? known(live);
}

const AUTHORITY: readonly string[] = ["ssl", "certificate_authority"];
const BUNDLE_METHOD: readonly string[] = ["ssl", "bundle_method"];

function sentOrWanted(
  zone: DesiredZone,
  state: State | undefined,
  path: readonly string[],
): (live: Live) => string | undefined {
  const declared = new Map<string, DesiredObject>();
  for (const object of zone.objects) if (isHostname(object.kind)) declared.set(object.key, object);
  return (live) => {
    const prior = state?.objects.get(hostnameAddress(live.key))?.applied;
    const desired = declared.get(live.key)?.values ?? byPolicy(zone, live);
    return textOf(valueAt(prior, path)) ?? textOf(valueAt(desired, path));
  };
}

function byPolicy({ hostnames }: DesiredZone, live: Live): ReturnType<typeof desiredFor> {
  return hostnames.lifecycle === "app" || hostnames.foreign === "adopt"
    ? desiredFor(hostnames, factsOf(live), EMPTY)
    : EMPTY;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
