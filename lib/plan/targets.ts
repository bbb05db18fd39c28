import { defined, EMPTY } from "../core/json.ts";
import { type AddressParts, formatAddress, parseAddress } from "../core/address.ts";
import type { Address } from "../core/brand.ts";
import { optionalBoolean, optionalObject, optionalText } from "../core/decode.ts";
import type { DesiredObject, HostnameFacts } from "../config/desired.ts";
import { desiredFor } from "../config/policies.ts";
import { HOSTNAMES } from "../kinds/registry.ts";
import type { Live } from "../kinds/live.ts";
import type { LiveZone } from "../refresh/refresh.ts";
import type { PlanInput } from "./inputs.ts";
import { suggest } from "../core/suggest.ts";

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

/** Returns a test whether an object of this zone is selected by `--target` and `--exclude`. */
export function selector({
  selection,
  desired,
}: {
  readonly selection: PlanInput["selection"];
  readonly desired: Pick<PlanInput["desired"], "name">;
}): (kind: string, key: string) => boolean {
  const targets = selection.target.map(parseAddress);
  const excluded = selection.exclude.map(parseAddress);
  return (kind, key) => {
    const isNamed = (parts: AddressParts | undefined): boolean =>
      parts?.kind === kind &&
      (parts.key === undefined || parts.key === key) &&
      (parts.zone === undefined || parts.zone === desired.name);
    return (targets.length === 0 || targets.some(isNamed)) && !excluded.some(isNamed);
  };
}

/**
 * The addresses of a selection that match nothing in this zone, each with the closest match. A kind alone always
 * matches. Without this check, a typo in `--target` would read as "no changes".
 */
export function missesOf(input: PlanInput): ReadonlyMap<string, string | undefined> {
  const misses = new Map<string, string | undefined>();
  for (const text of [...input.selection.target, ...input.selection.exclude]) {
    const { zone, kind, key } = parseAddress(text) ?? { kind: text };
    const isElsewhere = zone !== undefined && zone !== input.desired.name;
    if (isElsewhere) misses.set(text, undefined);
    else if (key !== undefined && !isKnown(input, kind, key)) misses.set(text, nearest(input, kind, key));
  }
  return misses;
}

function isKnown(input: PlanInput, kind: string, key: string): boolean {
  return (
    input.desired.objects.some((object) => object.kind === kind && object.key === key) ||
    input.state?.objects.has(localAddress(kind, key)) === true ||
    liveKeys(input, kind).includes(key)
  );
}

function nearest(input: PlanInput, kind: string, key: string): string | undefined {
  const known = [
    ...input.desired.objects.filter((object) => object.kind === kind).map((object) => object.key),
    ...liveKeys(input, kind),
  ];
  const found = suggest(key, known);
  return found === undefined ? undefined : planAddress(input, kind, found);
}

function liveKeys({ live }: PlanInput, kind: string): readonly string[] {
  for (const [name, objects] of live.objects) if (name === kind) return [...objects.keys()];
  return [];
}
