import { defined } from "../core/defined.ts";
import { formatAddress } from "../core/address.ts";
import type { Address } from "../core/brand.ts";
import { optionalBoolean, optionalObject, optionalText } from "../core/decode.ts";
import { EMPTY } from "../core/json.ts";
import type { DesiredObject, HostnameFacts } from "../config/desired.ts";
import { desiredFor } from "../config/policies.ts";
import { HOSTNAMES } from "../kinds/registry.ts";
import type { Live } from "../kinds/live.ts";
import type { LiveZone } from "../refresh/refresh.ts";
import type { PlanInput } from "./inputs.ts";

/**
 * Everything with desired values, by its address within the zone: declared objects, and the live hostnames that
 * policies match if the application owns the lifecycle or foreign hostnames are adopted. Policies skip hostnames that
 * the YAML says to forget.
 */
export function targetsOf(input: PlanInput): ReadonlyMap<string, DesiredObject> {
  const targets = new Map<string, DesiredObject>();
  if (input.isDestroy) return targets;
  for (const object of input.desired.objects) {
    targets.set(localAddress(object.kind, object.key), object);
  }
  if (!areUndeclaredReached(input)) return targets;
  for (const live of liveHostnames(input.live).values()) {
    const address = hostnameAddress(live.key);
    if (targets.has(address) || wasDeclared(input, address) || input.desired.forgets.has(address)) continue;
    const target = byPolicy(input, live);
    if (target) targets.set(address, target);
  }
  return targets;
}

/** Whether policies match undeclared live hostnames. */
export function areUndeclaredReached({ desired: { hostnames } }: Pick<PlanInput, "desired">): boolean {
  return hostnames.isDeclared && (hostnames.lifecycle === "app" || hostnames.foreign === "adopt");
}

/** A hostname that was declared before is not foreign: if entries own the lifecycle, it is deleted. */
function wasDeclared({ desired, state }: PlanInput, address: string): boolean {
  const prior = state?.objects.get(address);
  return desired.hostnames.lifecycle === "zoneform" && prior !== undefined && !prior.undeclared;
}

function byPolicy(input: PlanInput, live: Live): DesiredObject | undefined {
  const { hostnames, at } = input.desired;
  const values = desiredFor(hostnames, factsOf(live), EMPTY);
  const isAdopted = hostnames.lifecycle === "zoneform";
  if (values === EMPTY && !isAdopted) return undefined;
  return {
    kind: HOSTNAMES.name,
    key: live.key,
    values,
    options: input.desired.hostnames.options,
    at,
    isUndeclared: true,
  };
}

/** The facts about a live hostname that policies can match. */
export function factsOf(live: Live): HostnameFacts {
  const origin = optionalText(live.values, "custom_origin_server");
  const metadata: Record<string, string> = {};
  for (const [key, value] of Object.entries(optionalObject(live.values, "custom_metadata") ?? {})) {
    if (typeof value === "string") metadata[key] = value;
  }
  const wildcard = optionalBoolean(optionalObject(live.values, "ssl") ?? {}, "wildcard") ?? false;
  return {
    hostname: live.key,
    wildcard,
    metadata,
    labels: {},
    ...defined({ customOriginServer: origin }),
  };
}

/** The address as a plan prints it: with the zone's name in front if the project has several zones. */
export function planAddress(
  { isOneOfMany, desired }: Pick<PlanInput, "isOneOfMany" | "desired">,
  kind: string,
  key: string,
): Address {
  return formatAddress({ kind, ...(key === "" ? {} : { key }), ...(isOneOfMany ? { zone: desired.name } : {}) });
}

/** The live hostnames of a zone, by name; empty if they were not read. */
export function liveHostnames({ objects }: Pick<LiveZone, "objects">): ReadonlyMap<string, Live> {
  return objects.get(HOSTNAMES.name) ?? new Map();
}

/** The address of a hostname within its zone. */
export function hostnameAddress(hostname: string): string {
  return localAddress(HOSTNAMES.name, hostname);
}

/** The address within a zone, as the state keeps it. */
export function localAddress(kind: string, key: string): string {
  return formatAddress(key === "" ? { kind } : { kind, key });
}
