import type { Address } from "../core/brand.ts";
import { formatPosition } from "../core/diagnostic.ts";
import type { Cause } from "../core/diff.ts";
import { formatPath, type Json, type Path } from "../core/json.ts";
import { SENSITIVE } from "../core/secret.ts";
import type { Action } from "../plan/change.ts";
import type { Origin, RuleChange } from "../resources/kind.ts";
import { BLANK, type Line, line, printLines, type Printing } from "./lines.ts";
import { ruleLines } from "./rule-lines.ts";
import { formatValue, isSensitive } from "./value.ts";

/** Everything that is known of one leaf. A value that is absent is not there; one under `wanted` may still be `null`. */
export interface WhyLeaf {
  readonly path: Path;
  /** What the YAML wants, and which place of it says so. */
  readonly wanted?: { readonly value: Json; readonly origin?: Origin };
  readonly applied?: Json;
  readonly live?: Json;
  /** What an apply would send now. */
  readonly sent?: { readonly value: Json; readonly cause: Cause };
  /** Why it waits, where it is held. */
  readonly held?: string;
  readonly sensitive?: true;
}

/** The answer of `why ADDRESS`. */
export interface Why {
  readonly address: Address;
  readonly action: Action;
  readonly reason?: string;
  /** The canonical import id, where the object is live. */
  readonly importId?: string;
  readonly leaves: readonly WhyLeaf[];
  /** What an apply would do to the rules of a ruleset, and in which order they would stand. */
  readonly rules: readonly RuleChange[];
  readonly notes: readonly string[];
}

/** Leaf by leaf: what is wanted and by which place, what was applied last, what live has, what would be sent. */
export function whyText(why: Why, printing: Printing): string {
  const reason = why.reason === undefined ? "" : ` (${why.reason})`;
  const lines = [
    line(0, `${why.address}: ${why.action}${reason}`, "heading"),
    ...(why.importId === undefined ? [] : [line(2, `import id ${why.importId}`, "quiet")]),
    ...why.leaves.flatMap((leaf) => [BLANK, ...leafBlock(leaf)]),
    ...(why.rules.length === 0 ? [] : [BLANK, line(0, "what an apply would do to the rules", "heading")]),
    ...ruleLines(why.rules, 2),
    ...why.notes.flatMap((note) => [BLANK, line(0, `note: ${note}`, "quiet")]),
  ];
  return printLines(lines, printing);
}

function leafBlock(leaf: WhyLeaf): Line[] {
  const { wanted, applied, live, sent, held } = leaf;
  const isSecret = leaf.sensitive === true || [wanted?.value, applied, live, sent?.value].some(isSensitive);
  const show = (value: Json | undefined): string => (isSecret && value !== undefined ? SENSITIVE : formatValue(value));
  return [
    line(0, formatPath(leaf.path)),
    line(2, `wanted         ${wanted === undefined ? "(no opinion)" : show(wanted.value)}${origin(wanted?.origin)}`),
    line(2, `last applied   ${applied === undefined ? "(never)" : show(applied)}`),
    line(2, `live           ${isSecret && live === undefined ? "(not shown by the service)" : show(live)}`),
    line(
      2,
      `would be sent  ${sent === undefined ? "nothing" : `${show(sent.value)}  (${sent.cause})`}`,
      sentStyle(leaf),
    ),
    ...(held === undefined ? [] : [line(2, `held           ${held}`, "quiet")]),
  ];
}

function sentStyle({ sent }: WhyLeaf): "warn" | "plain" {
  return sent === undefined ? "plain" : "warn";
}

function origin(from: Origin | undefined): string {
  if (from === undefined) return "";
  const through = from.through === undefined ? "" : `, ${from.through}`;
  return `  (${formatPosition(from.at)}${through})`;
}
