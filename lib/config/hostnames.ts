import { defined, isList, isObject, type JsonObject, type Path, valueAt } from "../core/json.ts";
import { type Diagnostic, error, type Origin, type Position, problem } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";
import { type SecretAtHand, uploadProblems } from "../kinds/custom-hostname/upload.ts";
import { HOSTNAMES } from "../kinds/registry.ts";
import type { ValueProblem } from "../kinds/traits/declared.ts";
import { type Declaration, factsOf, textsIn } from "./declaration.ts";
import type { Decider, DesiredObject, HostnameRules, Policy } from "./desired.ts";
import type { EntrySection, FromSection, HostnamesSection } from "./document-types.ts";
import {
  declaredValues,
  find,
  isLost,
  ITEM,
  keyPlaceOf,
  type Located,
  nearest,
  placeOf,
  type Steps,
} from "./document.ts";
import { duplicateReport, type HostnameProblems } from "./hostname-problems.ts";
import type { LayeredZone } from "./layers.ts";
import { declaredHostname, decodeMatch, matcherOf } from "./match.ts";
import { desiredFor, floorFor, matchingPolicies } from "./policies.ts";
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
interface Fed {
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
    const matches = matcherOf(decodeMatch(from.where));
    const rows = source.declarations.filter(({ facts }) => matches(facts));
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

/** Where one field of a hostname comes from; undefined if nothing sets it. */
export function originOfLeaf(path: Path, hostname: Decided, decoded: DecodedRules, file: string): Origin | undefined {
  const decider = deciderOf(path, hostname, decoded);
  if (!decider) return undefined;
  const { at } = decider;
  switch (decider.by) {
    case "entry":
      return direct(at, file);
    case "row":
      return { at, through: `source ${JSON.stringify(decider.source)}, row ${decider.row}` };
    case "exception":
    case "policy": {
      const through = `${decider.by} ${JSON.stringify(decider.policy.name)}${layerOf(at, file)}`;
      return { at, through, isShared: true, ...defined({ until: decider.until }) };
    }
    default:
      return decider satisfies never;
  }
}

/** A hostname of which a field is looked up: declared, or only matched by policies. */
type Decided = Pick<Declaration, "facts"> & Partial<Pick<Declaration, "own" | "written">>;

/** What decides one field of a hostname; undefined if nothing sets it. A column of a source decides even if it is empty. */
export function deciderOf(path: Path, { facts, own, written }: Decided, decoded: DecodedRules): Decider | undefined {
  const policies = matchingPolicies(decoded.rules, facts).toReversed();
  const bySet = (policy: Policy): Decider | undefined => {
    const section = decoded.written.get(policy);
    const at = valueIn(section?.set, path)?.at;
    const until = section !== undefined && "until" in section ? (section.until ?? undefined) : undefined;
    return at && { by: policy.isException ? "exception" : "policy", at, policy, ...defined({ until }) };
  };
  const first = (isException: boolean): Decider | undefined => {
    for (const policy of policies) {
      const decider = policy.isException === isException ? bySet(policy) : undefined;
      if (decider) return decider;
    }
    return undefined;
  };
  return first(true) ?? (written && inDeclaration(path, written, own)) ?? first(false);
}

function inDeclaration(path: Path, written: Declaration["written"], own: JsonObject | undefined): Decider | undefined {
  if (written.kind === "entry") {
    const at = valueIn(written.entry, path)?.at;
    return at && { by: "entry", at };
  }
  const { source, row, table, raw, line } = written;
  const at = table.place(raw, line, path.join("."));
  const isEmpty = valueAt(own, path) === undefined;
  return at && { by: "row", at, source, row, isEmpty, ...defined({ delimiter: table.delimiter }) };
}

/**
 * The origin of a field of an object that is declared in one place; of the nearest part of the path, if the field is
 * not written there.
 */
export function originInSection(section: object, path: Path, zoneFile: string): Origin | undefined {
  const [first, ref, ...rest] = path;
  const rules = first === "rules" && ref !== undefined ? find(section, ["rules"])?.value : undefined;
  const index = isList(rules) ? rules.findIndex((rule) => isObject(rule) && rule["ref"] === ref) : -1;
  const found = nearest(section, index < 0 ? path : ["rules", index, ...rest]);
  return found && direct(found.at, zoneFile);
}

/** The origin of a value that is written once: its place, and its layer unless it is in the zone file itself. */
export function direct(at: Position, zoneFile: string): Origin {
  return at.file === zoneFile ? { at } : { at, through: `layer ${at.file}` };
}

function layerOf(at: Position, zoneFile: string): string {
  return at.file === zoneFile ? "" : ` of the layer ${at.file}`;
}

/** The value at a path, if it is set: `null` sets nothing. */
function valueIn(section: object | undefined, path: Path): Located | undefined {
  const found = find(section, path);
  return found?.value === null ? undefined : found;
}
