import { type Diagnostic, error, formatPosition, type Position, problem, warning } from "../core/diagnostic.ts";
import { endOfDay } from "../core/moment.ts";
import { HOSTNAMES } from "../kinds/registry.ts";
import type { Check, HostnameRules, Policy } from "./desired.ts";
import { decodeMatch, listOfTexts } from "./match.ts";
import type { CheckSection, ExceptionSection, HostnamesSection, PolicySection } from "./document-types.ts";
import { declaredValues, placeOf } from "./document.ts";
import type { Report } from "./report.ts";

/** Policies and exceptions with the parts of the document that they were read from. */
export interface DecodedRules {
  readonly rules: HostnameRules;
  readonly written: ReadonlyMap<Policy, PolicySection | ExceptionSection>;
}

/** Decodes how a zone's custom hostnames are managed. Exceptions that have ended are left out, with a warning. */
export function decodeRules(
  section: HostnamesSection | undefined,
  deniedAuthorities: readonly string[],
  todayMilliseconds: number,
  report: Report,
): DecodedRules {
  const written = new Map<Policy, PolicySection | ExceptionSection>();
  const names = new Map<string, Position>();
  const add = (item: PolicySection | ExceptionSection, policy: Policy | undefined): Policy[] => {
    if (!policy) return [];
    written.set(policy, item);
    return [policy];
  };
  const said = section ?? {};
  const policies = (said.policies ?? []).flatMap((item) => add(item, decodePolicy(item, names, report)));
  const exceptions = (said.exceptions ?? []).flatMap((item, index) =>
    add(item, decodeException(item, index, todayMilliseconds, report)),
  );
  const rules: HostnameRules = {
    isDeclared: section !== undefined,
    lifecycle: said.lifecycle ?? "zoneform",
    foreign: said.foreign ?? "report",
    whenExpired: said.when_expired ?? "report",
    policies: [...policies, ...exceptions],
    options: { ssl_updates: said.ssl_updates ?? "when_active", denied_certificate_authorities: deniedAuthorities },
  };
  return { rules, written };
}

function decodePolicy(item: PolicySection, names: Map<string, Position>, report: Report): Policy {
  const { name } = item;
  const at = placeOf(item, "name");
  const first = names.get(name);
  if (first) {
    const values = { name: JSON.stringify(name), place: formatPosition(first) };
    report(error(problem("duplicate-policy", values, { at })));
  }
  names.set(name, first ?? at);
  return { name, isException: false, match: decodeMatch(item.match), set: setOf(item), at };
}

function decodeException(
  item: ExceptionSection,
  index: number,
  todayMilliseconds: number,
  report: Report,
): Policy | undefined {
  const { match, reason, until: day } = item;
  const name = reason ?? (listOfTexts(match.hostname ?? []).join(", ") || `exceptions[${index}]`);
  const policy = {
    name,
    isException: true,
    match: decodeMatch(match),
    set: setOf(item),
    at: placeOf(match, "hostname"),
  };
  if (day === undefined || day === null) return policy;
  const untilAt = placeOf(item, "until");
  const endsAtMilliseconds = endOfDay(day);
  if (endsAtMilliseconds === undefined) {
    report(error(problem("no-such-date", { message: `${day} is not a date` }, { at: untilAt })));
    return undefined;
  }
  if (todayMilliseconds < endsAtMilliseconds) return policy;
  report(warning(problem("exception-ended", { name: JSON.stringify(name), day }, { at: untilAt })));
  return undefined;
}

function setOf({ set }: PolicySection | ExceptionSection): Policy["set"] {
  return HOSTNAMES.normalise(declaredValues(set));
}

/** The field of a hostname for each key of `deny`. */
const LEAVES: ReadonlyMap<string, string> = new Map([
  ["certificate_authority", "ssl.certificate_authority"],
  ["method", "ssl.method"],
  ["min_tls_version", "ssl.settings.min_tls_version"],
]);

/** Decodes `checks`. */
export function decodeChecks(sections: readonly CheckSection[], report: Report): readonly Check[] {
  const names = new Map<string, Position>();
  return sections.map((section) => {
    const { name, deny, in: places = PLACES } = section;
    const at = placeOf(section, "name");
    const first = names.get(name);
    if (first) report(duplicateCheck(name, first, at));
    names.set(name, first ?? at);
    return {
      name,
      deny: Object.fromEntries(
        Object.entries(deny).map(([key, values]) => [LEAVES.get(key) ?? key, listOfTexts(values)]),
      ),
      in: PLACES.filter((place) => places.includes(place)),
      at,
    };
  });
}

const PLACES = ["desired", "live"] as const;

function duplicateCheck(name: string, first: Position, at: Position): Diagnostic {
  const values = { name: JSON.stringify(name), place: formatPosition(first) };
  return error(problem("duplicate-check", values, { at }));
}

/** CAs that no live hostname may have; they contradict the choice `default` (docs/semantics.md#choice-of-ca). */
export function deniedLiveAuthorities(checks: readonly Check[]): readonly string[] {
  const denied = checks
    .filter((check) => check.in.includes("live"))
    .flatMap((check) => check.deny["ssl.certificate_authority"] ?? []);
  return [...new Set(denied)].sort();
}
