import { defined } from "../core/defined.ts";
import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { problem } from "../core/problem.ts";
import { didYouMean } from "../core/suggest.ts";
import { type SecretAtHand, uploadProblems } from "../kinds/custom-hostname/upload.ts";
import { HOSTNAMES } from "../kinds/registry.ts";
import type { ValueProblem } from "../kinds/traits/declared.ts";
import { type Declaration, factsOf, textsIn } from "./declaration.ts";
import type { DesiredObject, HostnameRules } from "./desired.ts";
import type { EntrySection, FromSection, HostnamesSection } from "./document-types.ts";
import { declaredValues, isLost, ITEM, keyPlaceOf, placeOf, type Steps } from "./document.ts";
import { type HostnameProblems, duplicateReport } from "./hostname-problems.ts";
import type { LayeredZone } from "./layers.ts";
import { declaredHostname, decodeMatch, matcherOf } from "./match.ts";
import { originOfLeaf } from "./origins.ts";
import { floorFor, matchingPolicies, desiredFor } from "./policies.ts";
import type { Report } from "./report.ts";
import type { DecodedRules } from "./rules.ts";
import type { LoadedSource } from "./source.ts";

/** The hostnames that a zone declares, and how many each source contributed. */
export interface DeclaredHostnames {
  readonly byName: ReadonlyMap<string, Declaration>;
  readonly fed: readonly Fed[];
  /** Whether every entry and source could be read, so that a missing hostname is not declared. */
  readonly isWhole: boolean;
}

/** What a source contributed to a zone, over all its entries of `from`. */
export interface Fed {
  readonly source: LoadedSource;
  readonly rows: number;
}

/** Collects entries and rows, in order. A hostname that is declared twice is an error that names both places. */
export function declareHostnames(
  section: HostnamesSection,
  rules: HostnameRules,
  sources: ReadonlyMap<string, LoadedSource>,
  report: Report,
): DeclaredHostnames {
  if (rules.lifecycle === "app") {
    for (const key of ["entries", "from"] as const) refuseWithApp(section, key, report);
    return { byName: new Map(), fed: [], isWhole: true };
  }
  const byName = new Map<string, Declaration>();
  const duplicates = duplicateReport(report);
  const add = (declaration: Declaration): void => {
    const { hostname } = declaration.facts;
    const first = byName.get(hostname);
    if (!first) return void byName.set(hostname, declaration);
    duplicates.add(hostname, first.at, declaration.at);
  };

  for (const entry of section.entries ?? []) add(declareEntry(entry));
  let isWhole = true;
  // A source that is named several times counts once, with all its rows, because the state records it by name.
  const taken = new Map<LoadedSource, number>();
  for (const from of section.from ?? []) {
    const source = sourceOf(from, sources, report);
    isWhole &&= source?.isWhole ?? false;
    if (!source) continue;
    const holds = matcherOf(decodeMatch(from.where));
    const rows = source.declarations.filter(({ facts }) => holds(facts));
    for (const row of rows) add(row);
    if (rows.length === 0 && source.isWhole) report(nothingFrom(source.name, placeOf(from, "where")));
    taken.set(source, (taken.get(source) ?? 0) + rows.length);
  }
  duplicates.finish(() => placeOf(section));
  return { byName, fed: [...taken].map(([source, rows]) => ({ source, rows })), isWhole };
}

function declareEntry(entry: EntrySection): Declaration {
  const own = HOSTNAMES.normalise(declaredValues(entry, ["hostname", "protect", "labels"]));
  const { protect } = entry;
  return {
    facts: {
      hostname: declaredHostname(entry.hostname),
      ...factsOf(own),
      labels: textsIn(entry.labels ?? undefined),
    },
    own,
    ...(protect === undefined || protect === null ? {} : { protect }),
    at: placeOf(entry, "hostname"),
    written: { kind: "entry", entry },
  };
}

function sourceOf(
  from: FromSection,
  sources: ReadonlyMap<string, LoadedSource>,
  report: Report,
): LoadedSource | undefined {
  const name = from.source;
  const source = sources.get(name);
  if (source) return source;
  const known = [...sources.keys()];
  return report(
    error(
      problem(
        "unknown-source",
        { name: JSON.stringify(name) },
        { at: placeOf(from, "source"), remedy: didYouMean(name, known) },
      ),
    ),
  );
}

/**
 * With `lifecycle: app`, the application creates hostnames, so an entry would promise what Zoneform does not do
 * (docs/semantics.md#lifecycle).
 */
function refuseWithApp(section: HostnamesSection, key: "entries" | "from", report: Report): void {
  if ((section[key] ?? []).length === 0) return;
  report(error(problem("declared-with-app", { key }, { at: keyPlaceOf(section, key) })));
}

function nothingFrom(source: string, at: Position): Diagnostic {
  const message = `no row of the source ${JSON.stringify(source)} matches where`;
  return error({ code: "source-empty", message, remedy: "correct where, or remove this entry from the list", at });
}

/** Errors about something missing, each with the fields that could supply it. */
const ABSENT: Readonly<Record<string, readonly Steps[]>> = {
  "ssl-method-missing": [["ssl", "method"]],
  "hostname-needs-branding": [
    ["ssl", "cloudflare_branding"],
    ["ssl", "custom_certificate"],
    ["ssl", "custom_cert_bundle"],
  ],
  "certificate-without-key": [
    ["ssl", "custom_certificate"],
    ["ssl", "custom_key"],
  ],
};

/** The codes of errors about something missing. */
export const ABSENCES: ReadonlySet<string> = new Set(["missing-key", ...Object.keys(ABSENT)]);

/** Each hostname that the zone declares: its own values, with those of policies and exceptions. */
export function hostnameObjects(
  { byName, fed }: DeclaredHostnames,
  decoded: DecodedRules,
  layered: LayeredZone,
  secretOf: SecretAtHand,
  problems: HostnameProblems,
): readonly DesiredObject[] {
  const unsound = new Set(fed.filter(({ source }) => !source.isWhole).map(({ source }) => source.name));
  const objects: DesiredObject[] = [];
  for (const [hostname, declaration] of byName) {
    const values = desiredFor(decoded.rules, declaration.facts, declaration.own);
    for (const problem of [...HOSTNAMES.problems(hostname, values), ...uploadProblems(hostname, values, secretOf)]) {
      const absent = ABSENT[problem.code] ?? [];
      if (absent.some((path) => mayBeLost(path, declaration, decoded, layered, unsound))) continue;
      problems.add(hostname, problem, problemPlace(problem.path, declaration, decoded, layered.file));
    }
    objects.push({
      kind: HOSTNAMES.name,
      key: hostname,
      values,
      options: decoded.rules.options,
      floor: floorFor(decoded.rules, declaration.facts),
      ...defined({ protect: declaration.protect }),
      at: declaration.at,
    });
  }
  return objects;
}

/** Whether the missing value may be a part that was removed because of another error. */
function mayBeLost(
  path: Steps,
  { written, facts }: Declaration,
  decoded: DecodedRules,
  { root, isWhole }: LayeredZone,
  unsound: ReadonlySet<string>,
): boolean {
  if (!isWhole || (written.kind === "row" ? unsound.has(written.source) : isLost(written.entry, path))) return true;
  const inPolicies = (["policies", "exceptions"] as const).some((key) => isLost(root, ["custom_hostnames", key, ITEM]));
  return (
    inPolicies ||
    matchingPolicies(decoded.rules, facts).some((policy) => isLost(decoded.written.get(policy), ["set", ...path]))
  );
}

/** The position of the wrong value; of the hostname, if a value is missing. */
function problemPlace(
  path: ValueProblem["path"],
  declaration: Declaration,
  decoded: DecodedRules,
  file: string,
): Position {
  if (path[0] === "hostname") return declaration.at;
  return originOfLeaf(path.map(String), declaration, decoded, file)?.at ?? declaration.at;
}
