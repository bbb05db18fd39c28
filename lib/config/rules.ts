import { error, formatPosition, type Position, warning } from "../core/diagnostic.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { HostnameRules, Policy } from "./desired.ts";
import { decodeMatch } from "./match.ts";
import { child, declaredMap, items, type Node, nodeAt, textOf, textsOf } from "./node.ts";
import type { Report } from "./report.ts";

/** Policies and exceptions with the parts of the YAML that they were read from. */
export interface DecodedRules {
  readonly rules: HostnameRules;
  /** By policy: the map under `set`, and the map under `match`. */
  readonly written: ReadonlyMap<Policy, { readonly set: Node | undefined; readonly match: Node | undefined }>;
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Decodes how a zone's custom hostnames are managed. Exceptions that have ended are left out, with a warning. */
export function decodeRules(
  node: Node | undefined,
  deniedAuthorities: readonly string[],
  todayMilliseconds: number,
  report: Report,
): DecodedRules {
  const written = new Map<Policy, { set: Node | undefined; match: Node | undefined }>();
  const names = new Map<string, Position>();
  const add = (item: Node, policy: Policy | undefined): Policy[] => {
    if (!policy) return [];
    written.set(policy, { set: child(item, "set"), match: child(item, "match") });
    return [policy];
  };
  const policies = items(child(node, "policies")).flatMap((item) => add(item, decodePolicy(item, names, report)));
  const exceptions = items(child(node, "exceptions")).flatMap((item, index) =>
    add(item, decodeException(item, index, todayMilliseconds, report)),
  );
  const said = (key: string): string | undefined => textOf(child(node, key));
  const foreign = said("foreign");
  const sslUpdates = said("ssl_updates") === "always" ? "always" : "when_active";
  const rules: HostnameRules = {
    isDeclared: node !== undefined,
    lifecycle: said("lifecycle") === "app" ? "app" : "zoneform",
    foreign: foreign === "ignore" || foreign === "adopt" ? foreign : "report",
    whenExpired: said("when_expired") === "create" ? "create" : "report",
    sslUpdates,
    policies: [...policies, ...exceptions],
    options: { ssl_updates: sslUpdates, denied_certificate_authorities: deniedAuthorities },
  };
  return { rules, written };
}

function decodePolicy(item: Node, names: Map<string, Position>, report: Report): Policy | undefined {
  const nameNode = child(item, "name");
  const name = textOf(nameNode);
  if (name === undefined || !nameNode) return undefined;
  const first = names.get(name);
  if (first) {
    report(
      error({
        code: "duplicate-policy",
        message: `the policy ${JSON.stringify(name)} is there already, at ${formatPosition(first)}`,
        remedy: "give it another name; a later policy wins anyway",
        at: nameNode.at,
      }),
    );
  }
  names.set(name, first ?? nameNode.at);
  return { name, isException: false, match: decodeMatch(child(item, "match")), set: setOf(item), at: nameNode.at };
}

function decodeException(item: Node, index: number, todayMilliseconds: number, report: Report): Policy | undefined {
  const matchNode = child(item, "match");
  const until = child(item, "until");
  const name =
    textOf(child(item, "reason")) ?? (textsOf(child(matchNode, "hostname")).join(", ") || `exceptions[${index}]`);
  const at = (nodeAt(matchNode, ["hostname"]) ?? matchNode ?? item).at;
  const policy = { name, isException: true, match: decodeMatch(matchNode), set: setOf(item), at };
  const day = textOf(until);
  if (day === undefined || !until) return policy;
  const endsAtMilliseconds = endOfDay(day);
  if (endsAtMilliseconds === undefined) {
    report(
      error({
        code: "no-such-date",
        message: `there is no day ${day}`,
        remedy: "write a date as in 2027-03-31",
        at: until.at,
      }),
    );
    return undefined;
  }
  if (todayMilliseconds < endsAtMilliseconds) return { ...policy, endsAtMilliseconds };
  report(
    warning({
      code: "exception-ended",
      message: `the exception ${JSON.stringify(name)} held until ${day}, and is not applied any more`,
      remedy: "remove it, or give it a later date",
      at: until.at,
    }),
  );
  return undefined;
}

/** An exception holds to the end of its last day, in UTC. */
function endOfDay(day: string): number | undefined {
  const start = Date.parse(`${day}T00:00:00.000Z`);
  const isReal = !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
  return isReal ? start + DAY_MILLISECONDS : undefined;
}

function setOf(item: Node): Policy["set"] {
  return kindNamed("custom_hostname").normalise(declaredMap(child(item, "set")));
}
