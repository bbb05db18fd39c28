import { CODES, generalRemedy, problem } from "../../core/problem.ts";
import { refusal } from "../../core/diagnostic.ts";
import { didYouMean } from "../../core/suggest.ts";
import { KINDS } from "../../kinds/registry.ts";
import { COMMON, HTTP_STATUSES } from "../../service/explanations/common.ts";
import { CONDITIONS } from "../../service/explanations/conditions.ts";
import type { Codes } from "../../service/explanations/entry.ts";
import {
  CERTIFICATE_STATUSES,
  FALLBACK_STATUSES,
  HOSTNAME_STATUSES,
  meaningOfText,
  type Meant,
  MIGRATION_STATES,
  TEXTS,
} from "../../service/explanations/statuses.ts";
import { FAMILIES } from "../../service/explanations.ts";
import { WORDS } from "./words.ts";

/** One meaning of a code. A code that several families use has one for each. */
export interface Meaning extends Meant {
  readonly code: string;
  /** The origin of the code: a family of calls, or the object that has it as a status. */
  readonly of: string;
}

/** Every known code, status, text and word, in listing order. */
export function allMeanings(): readonly Meaning[] {
  return [
    ...ofCodes(COMMON, "any call"),
    ...Object.entries(FAMILIES).flatMap(([family, codes]) => ofCodes(codes, family)),
    ...KINDS.flatMap(({ name, codes = {} }) => ofCodes(codes, name)),
    ...ofCodes(HTTP_STATUSES, "HTTP status"),
    ...CONDITIONS.map(({ code, cause, remedy }) => ({ code, of: "Cloudflare", cause, remedy })),
    ...ofNames(HOSTNAME_STATUSES, "status of a custom hostname"),
    ...ofNames(CERTIFICATE_STATUSES, "status of a certificate"),
    ...ofNames(FALLBACK_STATUSES, "status of the fallback origin"),
    ...ofNames(MIGRATION_STATES, "migration_state of the managed WAF rules"),
    ...TEXTS.map(({ code, text, cause, remedy }) => ({ code, of: `the text "${text}"`, cause, remedy })),
    ...ofNames(CODES, "zoneform"),
    ...KINDS.flatMap(({ ownCodes }) => ofNames(ownCodes, "zoneform")),
    ...WORDS.flatMap(({ of, words }) => ofNames(words, of)),
  ];
}

/**
 * The meanings of a code, a status, a text of `verification_errors` or a word of the output, one for each use. Case
 * does not matter. Throws `Refusal` for an unknown one.
 */
export function explain(code: string): readonly [Meaning, ...Meaning[]] {
  const asked = code.trim().toLowerCase();
  const known = allMeanings();
  const text = meaningOfText(asked)?.code;
  const [first, ...others] = known.filter((meaning) => meaning.code === asked || meaning.code === text);
  if (first) return [first, ...others];
  const names = [...new Set(known.map((meaning) => meaning.code))];
  throw refusal(problem("unknown-code", { code: JSON.stringify(code) }, { remedy: didYouMean(asked, names) }));
}

function ofCodes(codes: Codes, of: string): Meaning[] {
  return Object.entries(codes).map(([code, { cause, remedy }]) => ({ code, of, cause, remedy }));
}

function ofNames(names: Readonly<Record<string, Meant>>, of: string): Meaning[] {
  return Object.entries(names).map(([code, meant]) => ({ code, of, cause: meant.cause, remedy: generalRemedy(meant) }));
}
