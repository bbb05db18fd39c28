import { type Diagnostic, error } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";

/** That the project has no zone of this name or id. `known` are the names of the zones that it has. */
export function unknownZone(
  zone: { readonly name: string } | { readonly id: string },
  known: readonly string[],
): Diagnostic {
  const isById = "id" in zone;
  return error({
    code: "unknown-zone",
    message: `the project has no zone ${isById ? `with the id ${zone.id}` : JSON.stringify(zone.name)}`,
    remedy: isById
      ? "add a zone file for it first"
      : didYouMean(zone.name, known) || `the project has: ${known.join(", ")}`,
  });
}
