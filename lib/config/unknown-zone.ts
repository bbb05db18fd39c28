import { type Diagnostic, error, problem } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";

/** The error for a zone name or id that the project does not have. `known` are the names of its zones. */
export function unknownZone(
  zone: { readonly name: string } | { readonly id: string },
  known: readonly string[],
): Diagnostic {
  const isById = "id" in zone;
  const remedy = isById
    ? "add a zone file for it first"
    : didYouMean(zone.name, known) || `the project has: ${known.join(", ")}`;
  const named = isById ? `with the id ${zone.id}` : JSON.stringify(zone.name);
  return error(problem("unknown-zone", { zone: named }, { remedy }));
}
