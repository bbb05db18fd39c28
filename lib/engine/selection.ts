import { type Diagnostic, error, problem, Refusal } from "../core/diagnostic.ts";
import { didYouMean, suggest } from "../core/suggest.ts";
import { type Hazard, HAZARDS } from "../kinds/hazards.ts";
import { type Selection, WORDS_TO_DENY } from "../plan/inputs.ts";
import type { PlanScope } from "../plan/scope.ts";
import { parseTypedAddress, typedAddress } from "../kinds/registry.ts";
import { addressFault } from "./look-up.ts";

/**
 * Reads typed addresses or bare hostnames, and the hazards and actions to deny. Throws `Refusal` with every word that
 * is no address, and every word that cannot be denied.
 */
export function readSelection({
  deny = [],
  ...given
}: Partial<Pick<PlanScope, "target" | "exclude" | "deny">>): Selection {
  const target = (given.target ?? []).map(typedAddress);
  const exclude = (given.exclude ?? []).map(typedAddress);
  const faults = [
    ...[...target, ...exclude].flatMap((text) => addressFault(text) ?? []),
    ...deny
      .filter((word) => !isDeniable(word))
      .map((word) => unknownHazard(word, "neither a hazard nor an action", WORDS_TO_DENY)),
  ];
  if (faults.length > 0) throw new Refusal(faults);
  return { target, exclude, deny: deny.filter(isDeniable) };
}

/** Reads the typed hazards of `--fail-on`. Throws `Refusal` with every word that is none. */
export function readHazards(words: readonly string[]): readonly Hazard[] {
  const faults = words.filter((word) => !isHazard(word)).map((word) => unknownHazard(word, "not a hazard", HAZARDS));
  if (faults.length > 0) throw new Refusal(faults);
  return words.filter(isHazard);
}

function isHazard(word: string): word is Hazard {
  return HAZARDS.some((known) => known === word);
}

function isDeniable(word: string): word is Selection["deny"][number] {
  return WORDS_TO_DENY.some((known) => known === word);
}

function unknownHazard(word: string, what: string, known: readonly string[]): Diagnostic {
  const values = { word: JSON.stringify(word), what, words: known.join(", ") };
  return error(problem("unknown-hazard", values, { remedy: didYouMean(word, known) }));
}

/** Throws `Refusal` for addresses of the selection that match nothing in any zone. */
export function guardSelection([first, ...others]: readonly ReadonlyMap<string, string | undefined>[]): void {
  const missed = [...(first ?? [])].filter(([text]) => others.every((misses) => misses.has(text)));
  if (missed.length === 0) return;
  const guessesOf = (text: string): readonly string[] =>
    [first, ...others].flatMap((misses) => misses?.get(text) ?? []);
  throw new Refusal(missed.map(([text]) => namesNothing(text, nearestTo(text, guessesOf(text)))));
}

/** The guess, among those of all zones, whose key is nearest to the typed one. */
function nearestTo(text: string, guesses: readonly string[]): string | undefined {
  const keyOf = (address: string): string => parseTypedAddress(address)?.key ?? address;
  const key = suggest(keyOf(text), guesses.map(keyOf));
  return guesses.find((guess) => keyOf(guess) === key);
}

function namesNothing(text: string, guess: string | undefined): Diagnostic {
  const remedy = guess === undefined ? "" : `did you mean ${guess}?`;
  return error(problem("names-nothing", { address: text }, { remedy }));
}
