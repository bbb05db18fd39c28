import type { DesiredObject, DesiredZone } from "../config/desired.ts";
import { specFor } from "../config/policies.ts";
import { EMPTY, type Json, valueAt } from "../core/json.ts";
import { factsOf, localAddress } from "../plan/targets.ts";
import type { Live } from "../resources/kind.ts";
import type { State } from "../state/state.ts";

const AUTHORITY = ["ssl", "certificate_authority"];

/**
 * Tells which CA was chosen for a hostname: what was last sent for it, else what the YAML wants. Live does not tell: it
 * shows the CA that issued (product semantics 3).
 */
export function choices(zone: DesiredZone, state: State | undefined): (live: Live) => string | undefined {
  const declared = new Map<string, DesiredObject>();
  for (const object of zone.objects) if (object.kind === "custom_hostname") declared.set(object.key, object);
  return (live) => {
    const prior = state?.objects.get(localAddress("custom_hostname", live.key))?.applied;
    const wanted = declared.get(live.key)?.spec ?? byPolicy(zone, live);
    return textOf(valueAt(prior, AUTHORITY)) ?? textOf(valueAt(wanted, AUTHORITY));
  };
}

function byPolicy({ hostnames }: DesiredZone, live: Live): ReturnType<typeof specFor> {
  return hostnames.lifecycle === "app" || hostnames.foreign === "adopt"
    ? specFor(hostnames, factsOf(live), EMPTY)
    : EMPTY;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
