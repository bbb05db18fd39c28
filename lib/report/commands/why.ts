import { bucketed } from "../../core/lists.ts";
import { formatPosition, type Origin } from "../../core/diagnostic.ts";
import { equal, formatPath, type Json, type JsonObject } from "../../core/json.ts";
import { SENSITIVE } from "../../core/secret.ts";
import type { Why, WhyLeaf } from "../../engine/why.ts";
import { refusedLines } from "../lines/change-lines.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { LONGEST_BESIDE } from "../lines/leaf-lines.ts";
import { BLANK, type Line, line } from "../lines/lines.ts";
import { printLines, type Printing } from "../printers/text.ts";
import { CAUSE_WORDS } from "../lines/marks.ts";
import { ruleLines } from "../lines/rule-lines.ts";
import { textPair } from "../lines/text-diff.ts";
import { throughOf } from "../lines/words.ts";
import { formatValue, isSensitive } from "../../core/value-words.ts";
import { present, refusedDocument, ruleDocument } from "../plan/json.ts";

/** The width of tables; a longer value is cut, because the YAML has it whole. */
const COLUMNS = 80;

/** Values are not cut below this width. */
const NARROWEST_CELL = 12;

/** How wide an unmanaged value may be before it is cut. */
const WIDEST_UNMANAGED = 40;

const GAP = "  ";

/**
 * One object field by field. First come fields that differ or would be sent, with everything that is known about them;
 * then tables of fields that would be created, and of fields that are as declared; last, in one line, the undeclared
 * ones.
 */
export function whyText(why: Why, printing: Printing): string {
  const { address, action, refused, importId, leaves, rules, notes } = why;
  const reason = why.reason === undefined ? "" : ` (${why.reason})`;
  const sorted = sortLeaves(why);
  const lines = [
    line(0, `${address}: ${action === "no-op" ? "nothing to do" : action}${reason}`, "heading"),
    ...(refused === undefined
      ? []
      : [line(2, "blocked: an apply leaves it as it is", "bad"), ...refusedLines(refused)]),
    ...(importId === undefined ? [] : [line(2, `import id ${importId}`, "quiet")]),
    ...sorted.different.flatMap((leaf) => [BLANK, ...leafBlock(leaf)]),
    ...table("Would be created with:", sorted.created),
    ...table("As declared:", sorted.same),
    ...unmanagedLines(sorted.unmanaged),
    ...(rules.length === 0 ? [] : [BLANK, line(0, rulesTitle(why), "heading")]),
    ...ruleLines(rules, 2),
    ...notes.flatMap((note) => [BLANK, line(0, `note: ${note}`, "quiet")]),
    ...(leaves.length === 0 ? [BLANK, line(0, "No field of it is declared, applied or live.")] : []),
  ];
  return printLines(lines, printing);
}

type SortedLeaves = Readonly<Record<"different" | "created" | "same" | "unmanaged", readonly WhyLeaf[]>>;

function sortLeaves({ action, refused, leaves }: Why): SortedLeaves {
  const isSame = ({ wanted, applied, live, sent, held }: WhyLeaf): boolean => {
    if (wanted === undefined || sent !== undefined || held !== undefined) return false;
    return equal(wanted.value, live) || (refused === undefined && equal(wanted.value, applied));
  };
  const keyOf = (leaf: WhyLeaf): keyof SortedLeaves => {
    if (leaf.wanted === undefined && leaf.applied === undefined) return "unmanaged";
    if (isSame(leaf)) return "same";
    return action === "create" && leaf.sent !== undefined && leaf.applied === undefined ? "created" : "different";
  };
  const only = (key: keyof SortedLeaves): readonly WhyLeaf[] => leaves.filter((leaf) => keyOf(leaf) === key);
  return { different: only("different"), created: only("created"), same: only("same"), unmanaged: only("unmanaged") };
}

/** The same for programs. A secret only shows where it has a value. */
export function whyDocument(why: Why): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    address: why.address,
    action: why.action,
    ...present({ reason: why.reason, import_id: why.importId }),
    ...(why.refused === undefined ? {} : { refused: refusedDocument(why.refused) }),
    leaves: why.leaves.map(whyLeafDocument),
    rules: why.rules.map(ruleDocument),
    notes: why.notes,
  };
}

function whyLeafDocument(leaf: WhyLeaf): JsonObject {
  const { path, wanted, applied, live, sent, held } = leaf;
  const origin = wanted?.origin;
  const places = {
    ...(origin === undefined ? {} : { at: { ...origin.at }, ...present({ through: origin.through }) }),
    ...present({ cause: sent?.cause, held }),
  };
  if (isSecretLeaf(leaf)) return { path, sensitive: true, ...places };
  return { path, ...present({ wanted: wanted?.value, applied, live, sent: sent?.value }), ...places };
}

function isSecretLeaf({ sensitive, wanted, applied, live, sent }: WhyLeaf): boolean {
  return sensitive === true || [wanted?.value, applied, live, sent?.value].some(isSensitive);
}

function rulesTitle({ refused }: Why): string {
  return refused === undefined
    ? "What an apply would do to the rules:"
    : "What an apply would do to the rules, if it were not blocked:";
}

function leafBlock(leaf: WhyLeaf): Line[] {
  const { wanted, applied, live, sent, held } = leaf;
  const show = shown(leaf);
  const isHidden = isSecretLeaf(leaf) && live === undefined;
  const declared = wanted === undefined ? "(not in the YAML)" : show(wanted.value);
  const now = isHidden ? "(not shown by Cloudflare)" : show(live);
  const isPair = wanted !== undefined && live !== undefined && Math.max(declared.length, now.length) > LONGEST_BESIDE;
  const marks = ["live           ", "declared       "] as const;
  const [before, after] = isPair
    ? textPair(now, declared, 2, { marks })
    : [line(2, `${marks[0]}${now}`), line(2, `${marks[1]}${declared}`)];
  return [
    line(0, formatPath(leaf.path)),
    { ...after, text: `${after.text}${origin(wanted?.origin)}` },
    line(2, `last applied   ${applied === undefined ? "(never)" : show(applied)}`),
    before,
    line(
      2,
      `would be sent  ${sent === undefined ? "nothing" : `${show(sent.value)}  (${CAUSE_WORDS[sent.cause]})`}`,
      sent === undefined ? "plain" : "warn",
    ),
    ...(held === undefined ? [] : [line(2, `held           ${held}`, "quiet")]),
  ];
}

/** A row for each field, below the policy, the source or the rule that declares it. */
function table(title: string, leaves: readonly WhyLeaf[]): Line[] {
  const shownLeaves = leaves.filter((leaf) => !isKeyOfRule(leaf));
  if (shownLeaves.length === 0) return [];
  const groups = bucketed(shownLeaves, declaredBy);
  return [
    BLANK,
    line(0, title, "heading"),
    ...[...groups].flatMap(([by, some]) => [...(by === "" ? [] : [line(2, by)]), ...rows(some, by === "" ? 2 : 4)]),
  ];
}

/** The policy, exception, source or rule that declares the field; empty if the zone file itself does. */
function declaredBy({ path, wanted }: WhyLeaf): string {
  const [section, ref] = path;
  if (section === "rules" && ref !== undefined) return `rule ${ref}`;
  return wanted?.origin === undefined ? "" : (throughOf(wanted.origin) ?? "");
}

function rows(leaves: readonly WhyLeaf[], indent: number): Line[] {
  const columns = leaves.map((leaf) => {
    const at = leaf.wanted?.origin === undefined ? "" : formatPosition(leaf.wanted.origin.at);
    return { leaf, name: formatPath(isOfRule(leaf) ? leaf.path.slice(2) : leaf.path), at };
  });
  const widest = (texts: readonly string[]): number => texts.reduce((most, text) => Math.max(most, text.length), 0);
  const names = widest(columns.map(({ name }) => name));
  const room = COLUMNS - indent - names - widest(columns.map(({ at }) => at)) - 2 * GAP.length;
  const cells = columns.map(({ leaf }) => cut(cell(leaf), Math.max(room, NARROWEST_CELL)));
  return columns.map(({ name, at }, index) => {
    const value = (cells[index] ?? "").padEnd(widest(cells));
    return line(indent, [name.padEnd(names), value, at].join(GAP).trimEnd());
  });
}

function isOfRule({ path }: WhyLeaf): boolean {
  return path[0] === "rules" && path.length > 2;
}

/** The heading above the fields of a rule already names it. */
function isKeyOfRule(leaf: WhyLeaf): boolean {
  return isOfRule(leaf) && leaf.path.length === 3 && ["ref", "id"].includes(String(leaf.path[2]));
}

function cell(leaf: WhyLeaf): string {
  const { wanted, live } = leaf;
  const show = shown(leaf);
  const value = show(wanted?.value);
  return live === undefined || isSecretLeaf(leaf) || equal(live, wanted?.value)
    ? value
    : `${value} (live ${show(live)})`;
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

function unmanagedLines(leaves: readonly WhyLeaf[]): Line[] {
  const fields = leaves.filter((leaf) => !isKeyOfRule(leaf));
  if (fields.length === 0) return [];
  const values = fields.map((leaf) => `${formatPath(leaf.path)} ${cut(shown(leaf)(leaf.live), WIDEST_UNMANAGED)}`);
  return [BLANK, line(0, `Not managed: ${values.join(", ")}`, "quiet")];
}

function shown(leaf: WhyLeaf): (value: Json | undefined) => string {
  const hides = isSecretLeaf(leaf);
  return (value) => (hides && value !== undefined ? SENSITIVE : formatValue(value));
}

function origin(from: Origin | undefined): string {
  return from === undefined ? "" : `  (${place(from)})`;
}

/** Where a value is declared: `profiles/tls.yaml:10:17, policy "baseline"`. */
function place(from: Origin | undefined): string {
  if (from === undefined) return "";
  const through = throughOf(from);
  return `${formatPosition(from.at)}${through === undefined ? "" : `, ${through}`}`;
}
