import { objects, texts } from "../../core/decode.ts";
import type { ClaimedPart, Declaration } from "../traits/strategies.ts";
import { refOf } from "./arrange.ts";

/**
 * With prefixes of its own, a project claims the rules whose refs begin so, and each declared rule with another ref.
 * Without them, all rules are its own.
 */
export function claim({ key, spec, options }: Declaration): ClaimedPart {
  const own = options["own"];
  if (own === undefined || own === null) return { key };
  const prefixes = texts(options, "own");
  const refs = objects(spec, "rules")
    .map(refOf)
    .filter((ref) => !prefixes.some((prefix) => ref.startsWith(prefix)));
  return { key, prefixes, ...(refs.length === 0 ? {} : { refs }) };
}
