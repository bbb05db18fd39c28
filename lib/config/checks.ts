import { type Diagnostic, error, formatPosition, type Position } from "../core/diagnostic.ts";
import type { Check } from "./desired.ts";
import { child, entries, items, type Node, textOf, textsOf } from "./node.ts";
import type { Report } from "./report.ts";

/** The leaf of a hostname that each key of `deny` is about. */
const LEAVES: ReadonlyMap<string, string> = new Map([
  ["certificate_authority", "ssl.certificate_authority"],
  ["method", "ssl.method"],
  ["min_tls_version", "ssl.settings.min_tls_version"],
]);

/** Decodes `checks`. */
export function decodeChecks(node: Node | undefined, report: Report): readonly Check[] {
  const names = new Map<string, Position>();
  return items(node).map((item) => {
    const nameNode = child(item, "name") ?? item;
    const name = textOf(nameNode) ?? "";
    const first = names.get(name);
    if (first) report(duplicateCheck(name, first, nameNode.at));
    names.set(name, first ?? nameNode.at);
    const where = textsOf(child(item, "in"));
    return {
      name,
      deny: Object.fromEntries(
        entries(child(item, "deny")).map(([key, { value }]) => [LEAVES.get(key) ?? key, textsOf(value)]),
      ),
      in: PLACES.filter((place) => where.length === 0 || where.includes(place)),
      at: nameNode.at,
    };
  });
}

const PLACES = ["desired", "live"] as const;

function duplicateCheck(name: string, first: Position, at: Position): Diagnostic {
  return error({
    code: "duplicate-check",
    message: `the check ${JSON.stringify(name)} is there already, at ${formatPosition(first)}`,
    remedy: "give it another name",
    at,
  });
}

/** CAs that no live hostname may have: they make the choice `default` unsatisfied (docs/semantics.md#choice-of-ca). */
export function deniedLiveAuthorities(checks: readonly Check[]): readonly string[] {
  const denied = checks
    .filter((check) => check.in.includes("live"))
    .flatMap((check) => check.deny["ssl.certificate_authority"] ?? []);
  return [...new Set(denied)].sort();
}
