import { defined } from "../core/defined.ts";
import { type Diagnostic, error, formatPosition, type Position } from "../core/diagnostic.ts";
import { hashRow } from "../core/row-hash.ts";
import { didYouMean } from "../core/suggest.ts";
import { type SecretAtHand, uploadProblems } from "../kinds/custom-hostname/upload.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { SpecProblem } from "../kinds/traits/declared.ts";
import { type Declaration, factsOf, textsIn } from "./declaration.ts";
import type { DesiredObject, HostnameRules } from "./desired.ts";
import type { EntrySection, FromSection, HostnamesSection } from "./document-types.ts";
import { declaredValues, keyPlaceOf, placeOf } from "./document.ts";
import { declaredHostname } from "./hostname.ts";
import type { LayeredZone } from "./layers.ts";
import { decodeMatch, matcherOf } from "./match.ts";
import { originOfLeaf } from "./origins.ts";
import { floorFor, specFor } from "./policies.ts";
import type { Report } from "./report.ts";
import type { DecodedRules } from "./rules.ts";
import type { LoadedSource } from "./source.ts";

/** The hostnames that a zone declares, and which source gave it how many. */
export interface DeclaredHostnames {
  readonly byName: ReadonlyMap<string, Declaration>;
  readonly fed: readonly Fed[];
  /** Whether every entry and source could be read, so that what is missing is really missing. */
  readonly isWhole: boolean;
}

/** What a source gave to a zone, by however many entries of `from`. */
export interface Fed {
  readonly source: LoadedSource;
  readonly rows: number;
  /** The hostname of the last of them in the file; empty for no rows. */
  readonly last: string;
  /** The short hash of each of them, in the file's order. */
  readonly order: string;
  /** The same of every row of the file, where these are not all of them. */
  readonly file?: string;
}

/** After this many errors of a code the rest is counted. */
const MOST_OF_A_CODE = 20;

/** Collects entries and source rows, in order. A hostname that is declared twice is an error that names both places. */
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
  let duplicates = 0;
  const add = (declaration: Declaration): void => {
    const { hostname } = declaration.facts;
    const first = byName.get(hostname);
    if (!first) return void byName.set(hostname, declaration);
    duplicates += 1;
    if (duplicates <= MOST_OF_A_CODE) report(duplicateHostname(hostname, first.at, declaration.at));
  };

  for (const entry of section.entries ?? []) add(declareEntry(entry));
  let isWhole = true;
  const taken = new Map<LoadedSource, Declaration[]>();
  for (const from of section.from ?? []) {
    const source = sourceOf(from, sources, report);
    isWhole &&= source?.isWhole ?? false;
    if (!source) continue;
    const holds = matcherOf(decodeMatch(from.where));
    const rows = source.declarations.filter(({ facts }) => holds(facts));
    for (const row of rows) add(row);
    if (rows.length === 0 && source.isWhole) report(nothingFrom(source.name, placeOf(from, "where")));
    const before = taken.get(source) ?? [];
    for (const row of rows) before.push(row);
    taken.set(source, before);
  }
  if (duplicates > MOST_OF_A_CODE) report(moreDuplicates(duplicates - MOST_OF_A_CODE, placeOf(section)));
  return { byName, fed: [...taken].map(([source, rows]) => fedBy(source, rows)), isWhole };
}

/**
 * A source that is named several times counts once, with all of its rows: what is remembered of it stands under its name, and a file that
 * is cut short loses what is last in the file, whatever the order of the entries is.
 */
function fedBy(source: LoadedSource, rows: readonly Declaration[]): Fed {
  const ofZone = new Set(rows);
  const inOrder = source.declarations.filter((declaration) => ofZone.has(declaration));
  const isPart = inOrder.length < source.declarations.length;
  return {
    source,
    rows: rows.length,
    last: inOrder.at(-1)?.facts.hostname ?? "",
    order: hashesOf(inOrder),
    ...(isPart ? { file: hashesOf(source.declarations) } : {}),
  };
}

function hashesOf(rows: readonly Declaration[]): string {
  return rows.map(({ facts }) => hashRow(facts.hostname)).join("");
}

function declareEntry(entry: EntrySection): Declaration {
  const own = kindNamed("custom_hostname").normalise(declaredValues(entry, ["hostname", "protect", "labels"]));
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
    error({
      code: "unknown-source",
      message: `the project has no source ${JSON.stringify(name)}`,
      remedy: didYouMean(name, known) || "declare it under sources in the project file",
      at: placeOf(from, "source"),
    }),
  );
}

/** With these the application creates hostnames: an entry would promise what Zoneform does not do (docs/semantics.md#lifecycle). */
function refuseWithApp(section: HostnamesSection, key: "entries" | "from", report: Report): void {
  if ((section[key] ?? []).length === 0) return;
  report(
    error({
      code: "declared-with-app",
      message: `lifecycle is app, so the application creates the hostnames, and ${key} would have no effect`,
      remedy: "say it with policies and exceptions, or set lifecycle: zoneform",
      at: keyPlaceOf(section, key),
    }),
  );
}

function duplicateHostname(hostname: string, first: Position, at: Position): Diagnostic {
  return error({
    code: "duplicate-hostname",
    message: `the hostname ${JSON.stringify(hostname)} is declared here again, first at ${formatPosition(first)}`,
    remedy: "keep one of the two",
    at,
  });
}

function moreDuplicates(count: number, at: Position): Diagnostic {
  return error({
    code: "duplicate-hostname",
    message: `${count} more hostnames are declared twice`,
    remedy: "mend the ones above first",
    at,
  });
}

function nothingFrom(source: string, at: Position): Diagnostic {
  return error({
    code: "source-empty",
    message: `no row of the source ${JSON.stringify(source)} is for this zone`,
    remedy: "mend where, or remove the source here; no rows is never taken to mean that all hostnames go",
    at,
  });
}

/** Problems that are the absence of something. */
export const ABSENCES: ReadonlySet<string> = new Set([
  "missing-key",
  "ssl-method-missing",
  "hostname-needs-branding",
  "certificate-without-key",
]);

/** What is wanted of each hostname that the zone declares: its own values, with those of policies and exceptions. */
export function hostnameObjects(
  { byName }: DeclaredHostnames,
  decoded: DecodedRules,
  { file, isWhole }: Pick<LayeredZone, "file" | "isWhole">,
  secretOf: SecretAtHand,
  report: Report,
): readonly DesiredObject[] {
  const kind = kindNamed("custom_hostname");
  const problems = problemList(report);
  const objects: DesiredObject[] = [];
  for (const [hostname, declaration] of byName) {
    const spec = specFor(decoded.rules, declaration.facts, declaration.own);
    for (const problem of [...kind.problems(hostname, spec), ...uploadProblems(hostname, spec, secretOf)]) {
      // A part that was taken out for an error of its own may be just what is missing.
      if (!isWhole && ABSENCES.has(problem.code)) continue;
      problems.add(hostname, problem, problemPlace(problem.path, declaration, decoded, file));
    }
    objects.push({
      kind: "custom_hostname",
      key: hostname,
      spec,
      options: decoded.rules.options,
      floor: floorFor(decoded.rules, declaration.facts),
      ...defined({ protect: declaration.protect }),
      at: declaration.at,
    });
  }
  problems.finish();
  return objects;
}

/** The value that is wrong; where the problem is about something that nobody wrote, the hostname. */
function problemPlace(
  path: SpecProblem["path"],
  declaration: Declaration,
  decoded: DecodedRules,
  file: string,
): Position {
  if (path[0] === "hostname") return declaration.at;
  return originOfLeaf(path.map(String), declaration, decoded, file)?.at ?? declaration.at;
}

/** One wrong policy makes ten thousand hostnames wrong: one error for each place, and twenty of a code. */
function problemList(report: Report): {
  add(hostname: string, problem: SpecProblem, at: Position): void;
  finish(): void;
} {
  const byPlace = new Map<string, { problem: SpecProblem; at: Position; hostname: string; more: number }>();
  return {
    add: (hostname, problem, at) => {
      const key = `${problem.code} ${at.file}:${at.line}:${at.column}`;
      const known = byPlace.get(key);
      if (known) known.more += 1;
      else byPlace.set(key, { problem, at, hostname, more: 0 });
    },
    finish: () => {
      const counts = new Map<string, number>();
      for (const { problem, at, hostname, more } of byPlace.values()) {
        const count = (counts.get(problem.code) ?? 0) + 1;
        counts.set(problem.code, count);
        if (count > MOST_OF_A_CODE) continue;
        const others = more === 0 ? "" : ` (and so are ${more} more hostnames)`;
        const { code, remedy } = problem;
        const address = `custom_hostname[${JSON.stringify(hostname)}]`;
        report(error({ code, message: `${problem.message}${others}`, remedy, at, address }));
      }
      for (const [code, count] of counts) {
        if (count <= MOST_OF_A_CODE) continue;
        const message = `${count - MOST_OF_A_CODE} more errors ${code}`;
        report(error({ code: "more-errors", message, remedy: "mend the ones above first" }));
      }
    },
  };
}
