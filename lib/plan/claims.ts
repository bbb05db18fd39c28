import { defined } from "../core/json.ts";
import { moment } from "../core/moment.ts";
import { shellQuoted } from "../core/quote.ts";
import type { DesiredZone } from "../config/desired.ts";
import { formatAddress } from "../core/address.ts";
import { bucketed, type Some } from "../core/lists.ts";
import { type Diagnostic, error } from "../core/diagnostic.ts";
import { HOSTNAMES, kindIfNamed, kindNamed } from "../kinds/registry.ts";
import { type Claim, type Claimable, coversKey, thingText } from "../state/zone/claims.ts";

/**
 * What the YAML of a zone makes a project claim. Custom hostnames are claimed all together: which ones a policy or a
 * source will match tomorrow is unknown today.
 */
export function claimsOf({ objects, hostnames }: DesiredZone): readonly Claimable[] {
  const claimed: Claimable[] = [];
  const wholeKinds = new Set<string>();
  for (const { kind, key, values, options } of objects) {
    const claim = kindNamed(kind).claim?.({ key, values, options });
    if (claim) claimed.push({ kind, ...claim });
    else wholeKinds.add(kind);
  }
  // Without a policy, nothing that the application creates is managed.
  const areManaged = hostnames.isDeclared && (hostnames.lifecycle === "zoneform" || hostnames.policies.length > 0);
  if (areManaged) wholeKinds.add(HOSTNAMES.name);
  return [...[...wholeKinds].sort().map((kind) => ({ kind })), ...claimed];
}

/** An object that is tracked or has a change. */
interface Managed {
  readonly kind: string;
  readonly key: string;
}

/**
 * What a project still claims after an apply: what it declares, and what it only tracks, with the rules that it had
 * claimed there.
 */
export function claimsAfter(
  declared: readonly Claimable[],
  before: readonly Claim[],
  tracked: Iterable<Managed>,
): readonly Claimable[] {
  const left = thingsOf(tracked).filter((thing) => !declared.some((one) => coversKey(one, thing)));
  return [
    ...declared,
    ...left.flatMap((thing) => {
      const claimed = before.filter((one) => coversKey(one, thing));
      return claimed.length === 0 ? [thing] : claimed.map(thingOf);
    }),
  ];
}

/** What it claims during an apply: also what it gives up only after that has worked. */
export function claimsDuring(
  declared: readonly Claimable[],
  before: readonly Claim[],
  managed: readonly Managed[],
): readonly Claimable[] {
  const things = thingsOf(managed);
  const kept = before.filter((one) => things.some((thing) => coversKey(one, thing))).map(thingOf);
  return [
    ...new Map([...claimsAfter(declared, before, managed), ...kept].map((one) => [thingText(one), one])).values(),
  ];
}

/** The claims of a project in a zone. */
export function ownClaims(claims: readonly Claim[], project: string, zone: string): readonly Claim[] {
  return claims.filter((claim) => claim.project === project && claim.zone === zone);
}

/** The conflicting claims, by project. */
export function byProject(claims: readonly Claim[]): readonly Some<Claim>[] {
  return [...bucketed(claims, ({ project }) => project).values()];
}

/**
 * Reports what another project claims in a zone. `moving` are the commands to run if this is the same project under a
 * new name.
 */
export function claimedByOther(
  zone: string,
  [first, ...others]: readonly [Claim, ...Claim[]],
  moving: readonly string[] = [],
): Diagnostic {
  const { project } = first;
  const all = [first, ...others];
  const since = all.map((claim) => claim.since).sort()[0] ?? first.since;
  return error({
    code: "claimed",
    message: `project ${project} already manages ${all.map(claimText).join(", ")} of ${zone}, since ${moment(since)}`,
    remedy: [
      ...moving.map(() => "renamed? move the states before you apply:"),
      `project ${project} no longer exists? release its claims:`,
      "else remove these from the YAML of one of the two projects, and apply that one",
    ].join("\n"),
    commands: [...moving, `zoneform state release --project ${project} --zone ${shellQuoted(zone)}`],
  });
}

/** A claimed thing in words: `ruleset["http_request_firewall_custom"] (rules with refs that begin with edge-)`. */
export function claimText({ kind, key, prefixes, refs = [] }: Claimable): string {
  const isOne = key !== undefined || kindIfNamed(kind)?.isSingle === true;
  const thing = isOne
    ? formatAddress({ kind, ...(key === undefined ? {} : { key }) })
    : `all ${kind.replaceAll("_", " ")}s`;
  if (prefixes === undefined) return thing;
  const whole = refs.length === 1 ? "the ref" : "the refs";
  const parts = [
    ...(prefixes.length === 0 ? [] : [`refs that begin with ${prefixes.join(", ")}`]),
    ...(refs.length === 0 ? [] : [`${whole} ${refs.join(", ")}`]),
  ];
  return `${thing} (rules with ${parts.join(", or ")})`;
}

/** What to claim for these objects, each thing once. */
function thingsOf(objects: Iterable<Managed>): readonly Claimable[] {
  const things = new Map<string, Claimable>();
  for (const { kind, key } of objects) {
    const thing = kindIfNamed(kind)?.claim ? { kind, key } : { kind };
    things.set(thingText(thing), thing);
  }
  return [...things.values()];
}

function thingOf({ kind, key, prefixes, refs }: Claim): Claimable {
  return { kind, ...defined({ key, prefixes, refs }) };
}
