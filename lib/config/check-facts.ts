import { error, type Position } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";
import type { HostnameFacts } from "./desired.ts";
import { exceptionsWithoutHit } from "./exceptions.ts";
import { feedback } from "./feedback.ts";
import { normaliseHostname } from "./hostname.ts";
import type { DeclaredHostnames } from "./hostnames.ts";
import { child, entries, items, type Node, textOf } from "./node.ts";
import type { Report } from "./report.ts";
import type { DecodedRules } from "./rules.ts";
import type { LoadedSource } from "./source.ts";

/** What policies and exceptions look at has to exist somewhere. */
export function checkFacts(
  node: Node | undefined,
  decoded: DecodedRules,
  declared: DeclaredHostnames,
  sources: ReadonlyMap<string, LoadedSource>,
  report: Report,
): void {
  const facts = function* (): Iterable<HostnameFacts> {
    for (const declaration of declared.byName.values()) yield declaration.facts;
  };
  checkLabels(node, knownLabels(declared, sources), report);
  const { lifecycle, foreign } = decoded.rules;
  if (lifecycle === "app" || foreign === "adopt") {
    for (const diagnostic of feedback(decoded)) report(diagnostic);
    // Live names count as well there, and only the planner knows them.
    return;
  }
  const placeOfName = (exception: DecodedRules["rules"]["policies"][number], hostname: string): Position => {
    const hostnames = child(decoded.written.get(exception)?.match, "hostname");
    const same = (candidate: Node): boolean => normaliseHostname(textOf(candidate) ?? "") === hostname;
    return items(hostnames).find(same)?.at ?? hostnames?.at ?? exception.at;
  };
  for (const diagnostic of exceptionsWithoutHit(decoded.rules, facts(), placeOfName)) report(diagnostic);
}

function knownLabels(declared: DeclaredHostnames, sources: ReadonlyMap<string, LoadedSource>): readonly string[] {
  const ofSources = [...sources.values()].flatMap(({ labels }) => labels);
  const ofEntries = [...declared.byName.values()].flatMap(({ facts, written }) =>
    written.kind === "entry" ? Object.keys(facts.labels) : [],
  );
  return [...new Set([...ofSources, ...ofEntries])];
}

function checkLabels(node: Node | undefined, known: readonly string[], report: Report): void {
  const matches = ["policies", "exceptions"].flatMap((list) =>
    items(child(node, list)).map((item) => child(item, "match")),
  );
  const wheres = items(child(node, "from")).map((item) => child(item, "where"));
  for (const [key, { keyAt }] of [...matches, ...wheres].flatMap((match) => entries(match))) {
    if (!key.startsWith("label.") || known.includes(key.slice("label.".length))) continue;
    const name = key.slice("label.".length);
    report(
      error({
        code: "unknown-label",
        message: `no entry and no source gives a label ${JSON.stringify(name)}`,
        remedy: didYouMean(name, known) || "declare it under labels of a source or an entry",
        at: keyAt,
      }),
    );
  }
}
