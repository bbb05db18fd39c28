import { error, Refusal } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";
import { type Selection, WORDS_TO_DENY } from "../plan/inputs.ts";
import type { PlanScope } from "../plan/scope.ts";
import { addressFault } from "./look-up.ts";

/**
 * Reads addresses, and the hazards and actions to deny, as somebody wrote them. Throws `Refusal` with every address that is
 * none and every word that cannot be denied.
 */
export function readSelection({
  target = [],
  exclude = [],
  deny = [],
}: Partial<Pick<PlanScope, "target" | "exclude" | "deny">>): Selection {
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
    remedy: didYouMean(word, WORDS_TO_DENY) || `it can be ${WORDS_TO_DENY.join(", ")}`,
  });
}
