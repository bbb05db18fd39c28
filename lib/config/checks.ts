import { type Diagnostic, error, formatPosition, type Position } from "../core/diagnostic.ts";
import type { Check } from "./desired.ts";
import type { CheckSection } from "./document-types.ts";
import { placeOf } from "./document.ts";
import { listOfTexts } from "./match.ts";
import type { Report } from "./report.ts";

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
  return error({
    code: "duplicate-check",
    message: `two checks are named ${JSON.stringify(name)}, the first at ${formatPosition(first)}`,
    remedy: "give one of them another name",
    at,
  });
}

/** CAs that no live hostname may have; they contradict the choice `default` (docs/semantics.md#choice-of-ca). */
export function deniedLiveAuthorities(checks: readonly Check[]): readonly string[] {
  const denied = checks
    .filter((check) => check.in.includes("live"))
    .flatMap((check) => check.deny["ssl.certificate_authority"] ?? []);
  return [...new Set(denied)].sort();
}
