import { error, Refusal } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";
import { type Selection, WORDS_TO_DENY } from "../plan/inputs.ts";
import type { PlanScope } from "../plan/scope.ts";
import { typedAddress } from "../kinds/typed-address.ts";
import { addressFault } from "./look-up.ts";

/**
 * Reads addresses or bare hostnames, and the hazards and actions to deny, as somebody typed them. Throws `Refusal` with every
 * word that is no address, and every word that cannot be denied.
 */
export function readSelection({
  deny = [],
  ...given
}: Partial<Pick<PlanScope, "target" | "exclude" | "deny">>): Selection {
  const target = (given.target ?? []).map(typedAddress);
  const exclude = (given.exclude ?? []).map(typedAddress);
  const faults = [
    ...[...target, ...exclude].flatMap((text) => addressFault(text) ?? []),
    ...deny.filter((word) => !isDeniable(word)).map(notDeniable),
  ];
  if (faults.length > 0) throw new Refusal(faults);
  return { target, exclude, deny: deny.filter(isDeniable) };
}

function isDeniable(word: string): word is Selection["deny"][number] {
  return WORDS_TO_DENY.some((known) => known === word);
}

function notDeniable(word: string): ReturnType<typeof error> {
  return error({
    code: "unknown-hazard",
    message: `${JSON.stringify(word)} is neither a hazard nor an action`,
    remedy: didYouMean(word, WORDS_TO_DENY) || `use one of: ${WORDS_TO_DENY.join(", ")}`,
  });
}
