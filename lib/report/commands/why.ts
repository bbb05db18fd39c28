import type { Why, WhyLeaf } from "../../engine/why.ts";
import { formatPosition } from "../../core/diagnostic.ts";
import { formatPath, type Json, type JsonObject } from "../../core/json.ts";
import { SENSITIVE } from "../../core/secret.ts";
import type { Origin } from "../../kinds/kind.ts";
import { refusedLines } from "../lines/change-lines.ts";
import { FORMAT_VERSION } from "../lines/format-version.ts";
import { BLANK, type Line, line, printLines, type Printing } from "../lines/lines.ts";
import { ruleLines } from "../lines/rule-lines.ts";
import { formatValue, isSensitive } from "../lines/value.ts";
import { present, refusedDocument, ruleDocument } from "../plan/json.ts";

/** Leaf by leaf: what is wanted and by which place, what was applied last, what live has, what would be sent. */
export function whyText(why: Why, printing: Printing): string {
  const reason = why.reason === undefined ? "" : ` (${why.reason})`;
  const lines = [
    line(0, `${why.address}: ${why.action}${reason}`, "heading"),
    ...(why.refused === undefined
      ? []
      : [line(2, "refused: an apply leaves it as it is", "bad"), ...refusedLines(why.refused)]),
    ...(why.importId === undefined ? [] : [line(2, `import id ${why.importId}`, "quiet")]),
    ...why.leaves.flatMap((leaf) => [BLANK, ...leafBlock(leaf)]),
    ...(why.rules.length === 0 ? [] : [BLANK, line(0, rulesTitle(why), "heading")]),
    ...ruleLines(why.rules, 2),
    ...why.notes.flatMap((note) => [BLANK, line(0, `note: ${note}`, "quiet")]),
  ];
  return printLines(lines, printing);
}

/** The same for programs; of a secret only which places have a value. */
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
  return `what an apply would do to the rules${refused === undefined ? "" : ", were it not refused"}`;
}

function leafBlock(leaf: WhyLeaf): Line[] {
  const { wanted, applied, live, sent, held } = leaf;
  const isSecret = isSecretLeaf(leaf);
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
