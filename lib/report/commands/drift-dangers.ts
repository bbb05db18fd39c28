import type { LeafChange } from "../../core/diff.ts";
import { formatPath } from "../../core/json.ts";
import type { RuleEvent } from "../../kinds/traits/shared.ts";
import { isSecret } from "../lines/leaf-lines.ts";
import { type Line, line } from "../lines/lines.ts";
import { formatPair, formatValue } from "../lines/value.ts";
import { counted } from "../lines/words.ts";
import type { ForeignDanger } from "../../plan/change.ts";
import { foreignSentence } from "../view/hazards.ts";
import type { DriftGroup } from "./drift-objects.ts";
import { whichObjects } from "../lines/names.ts";

/** The column in which the hazards stand, unless a sentence is longer. */
const WIDEST_SENTENCE = 50;

/** What happened outside Zoneform and protects less than before: one line each, never folded, above everything else. */
export function dangerLines(groups: readonly DriftGroup[], foreign: readonly ForeignDanger[] = []): Line[] {
  const weakened = groups.filter(({ hazards }) => hazards.includes("weakens-protection")).map(dangerSentence);
  const said = [...weakened, ...foreign.map(foreignSentence)];
  const width = Math.min(
    WIDEST_SENTENCE,
    said.reduce((most, sentence) => Math.max(most, sentence.length), 0),
  );
  return said.map((sentence) => line(2, `DANGER  ${sentence.padEnd(width)}  weakens-protection`, "bad"));
}

function dangerSentence({ kind, what, leaves, rules, addresses }: DriftGroup): string {
  const isOne = addresses.length === 1;
  const name = whichObjects(kind, addresses);
  const be = isOne ? "was" : "were";
  if (what === "deleted") return `${name} ${be} deleted`;
  if (what === "replaced") return `${name} ${be} deleted and created again`;
  const tls = leaves.find(({ path }) => path.at(-1) === "min_tls_version");
  if (tls) return tlsSentence(name, isOne, tls);
  const [rule, ...otherRules] = rules;
  const [leaf, ...otherLeaves] = leaves;
  const count = rules.length + leaves.length;
  if (rule && otherRules.length + leaves.length === 0) return ruleSentence(rule);
  if (leaf && otherLeaves.length + rules.length === 0) return leafSentence(name, leaf);
  return `${name}: ${rules.length === count ? counted(count, "rule") : counted(count, "field")} changed`;
}

function tlsSentence(name: string, isOne: boolean, { before, prior }: LeafChange): string {
  if (before !== undefined) return `${name} ${isOne ? "accepts" : "accept"} TLS ${formatValue(before)}`;
  return `${name} no longer ${isOne ? "requires" : "require"} TLS ${formatValue(prior)}`;
}

function ruleSentence({ what, ref }: RuleEvent): string {
  return `rule ${JSON.stringify(ref)} was ${what === "edited" ? "changed" : what}`;
}

function leafSentence(name: string, leaf: LeafChange): string {
  const path = formatPath(leaf.path);
  if (isSecret(leaf)) return `${name}: ${path} was changed`;
  const [applied, now] = formatPair(leaf.prior, leaf.before);
  const values = `${applied} -> ${now}`;
  return values.length > WIDEST_SENTENCE ? `${name}: ${path} was changed` : `${name}: ${path} ${values}`;
}
