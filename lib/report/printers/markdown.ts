import type { Position } from "../../core/diagnostic.ts";
import { counted, thousands } from "../../core/words.ts";
import { MARKS } from "../lines/marks.ts";
import { type Line, line } from "../lines/lines.ts";
import { htmlText, markdownCode, markdownFence, markdownText } from "../escape/markdown.ts";
import { type Item, RANKS, type Report, type Section, type Sort, SORTS, type Table } from "../sections/report.ts";
import { printLines } from "./text.ts";

/** What the host of a comment holds and displays. */
export interface Flavour {
  /** How many characters a comment may have. The rest of the host's limit is for what a job writes around it. */
  readonly budget: number;
  /** Whether the host displays folds, and hides comments of HTML. */
  readonly hasHtml: boolean;
}

/** GitHub holds 65,536 characters in a comment, GitLab 1,000,000, Bitbucket 32,768; a step summary of GitHub 1,024 KB. */
export const FLAVOURS: Readonly<Record<"github" | "summary" | "gitlab" | "bitbucket", Flavour>> = {
  github: { budget: 65_280, hasHtml: true },
  // Counted in bytes, and a character has up to three.
  summary: { budget: 340_000, hasHtml: true },
  gitlab: { budget: 999_000, hasHtml: true },
  bitbucket: { budget: 32_512, hasHtml: false },
};

/** The shortest budget: the verdict, all hazards with their counts, and the last sentence fit into it. */
const LEAST_BUDGET = 4096;

/** How to write a comment. */
export interface MarkdownOptions {
  /** GitHub by default. */
  readonly flavour?: Flavour;
  /** How many characters it may have, at least 4,096; the flavour's budget by default. */
  readonly budget?: number;
  /** The page that shows everything. Anything but a web address is left out. */
  readonly link?: string;
  /** The web address of a place in the YAML; undefined where there is none. */
  readonly linkTo?: (at: Position) => string | undefined;
  /** Removes secrets that got into the report anyway; the returned text is escaped and measured. */
  readonly redact?: Redact;
  /** By what a job finds its comment again: `zoneform plan edge-prod`. It is not displayed. */
  readonly marker?: string;
}

/** Removes known secrets from a text. It has to run before the escaper, which spells them differently. */
export type Redact = (text: string) => string;

/**
 * Any report as a comment of a pull request, never longer than the budget, in the order of the text. What does not fit
 * is left out item by item, the least important first (`RANKS`), and counted below the verdict. Throws `RangeError` for
 * a budget below 4,096.
 */
export function reportMarkdown({ verdict, sections }: Report, options: MarkdownOptions = {}): string {
  const { flavour = FLAVOURS.github, redact = (text) => text } = options;
  const { budget = flavour.budget } = options;
  if (!(budget >= LEAST_BUDGET)) throw new RangeError(`a comment has a budget of at least ${LEAST_BUDGET} characters`);
  const page: Page = { ...options, flavour, redact };
  const head = `${markerOf(page)}## ${markdownText(redact(verdict.text))}\n`;
  const parts = sections.map((section) => partOf(section, page));
  const all = countsOf(parts.flatMap(({ pieces }) => pieces));
  const whole = fit(parts, budget - head.length);
  if (whole.hidden.length === 0) return head + whole.text;
  const place = placeOf(page);
  const cut = fit(parts, budget - head.length - hiddenNote(all, all, place).length);
  return head + hiddenNote(countsOf(cut.hidden), all, place) + cut.text;
}

type Page = MarkdownOptions & Required<Pick<MarkdownOptions, "flavour" | "redact">>;

function markerOf({ marker, flavour }: Page): string {
  if (marker === undefined) return "";
  const words = marker.replace(/[^\w. -]|--+/g, "-");
  return flavour.hasHtml ? `<!-- ${words} -->\n` : `[//]: # "${words}"\n\n`;
}

/** A section as Markdown: what stands around its items, and the items. */
interface Part {
  readonly opening: string;
  readonly closing: string;
  /** Shown even if no item fits. */
  readonly isAlways: boolean;
  readonly pieces: readonly Piece[];
}

/** An item as Markdown. */
interface Piece {
  readonly text: string;
  readonly counts: Item["counts"];
  readonly rank: number;
  /** The piece that it adds to. */
  readonly addsTo?: Piece;
}

function partOf(section: Section, page: Page): Part {
  const { title, fold, table, items, rank } = section;
  const { redact, flavour } = page;
  const folded = fold === undefined ? "" : htmlText(redact(fold));
  const isFolded = fold !== undefined && flavour.hasHtml;
  const openings = [
    title === undefined ? "" : `\n### ${markdownText(redact(title.text))}\n`,
    isFolded ? `\n<details${items.length <= MOST_UNFOLDED ? " open" : ""}>\n<summary>${folded}</summary>\n` : "",
    fold !== undefined && !isFolded ? `\n#### ${markdownText(redact(fold))}\n` : "",
  ];
  return {
    opening: openings.join(""),
    closing: isFolded ? "\n</details>\n" : "",
    isAlways: rank === "hazards" || rank === "verdict",
    pieces: [...(table === undefined ? [] : [tablePiece(table, page)]), ...piecesOf(section, page)],
  };
}

function piecesOf({ items, rank }: Section, page: Page): Piece[] {
  const pieces: Piece[] = [];
  let leader: Piece | undefined;
  for (const { lines, counts, isMore, rank: own = rank } of items) {
    const piece: Piece = {
      text: itemText(lines.filter(isCut), page),
      counts,
      rank: RANKS.indexOf(own),
      ...(isMore && leader !== undefined ? { addsTo: leader } : {}),
    };
    if (!isMore) leader = piece;
    pieces.push(piece, ...lines.filter(isCut).flatMap((each) => namesPieces(each, piece, page)));
  }
  return pieces;
}

/** All names of a line that names only the first, in a fold; they get room last. */
function namesPieces({ names, only }: Line, addsTo: Piece, { redact, flavour }: Page): Piece[] {
  if (names === undefined || names.all.length <= names.most || only === "full") return [];
  const count = names.all.length;
  const list = names.all.map((name) => markdownCode(redact(name))).join(", ");
  const title = `All ${counted(count, "name")}`;
  const text = flavour.hasHtml
    ? `\n<details>\n<summary>${title}</summary>\n\n${list}\n\n</details>\n`
    : `\n${title}: ${list}\n`;
  return [{ text, counts: { sort: "names", count }, rank: RANKS.length, addsTo }];
}

/** Up to so many items, a fold is open. */
const MOST_UNFOLDED = 5;

function isCut({ only }: Line): boolean {
  return only !== "full";
}

/** The parts that fit, in order, and the pieces that do not. */
interface Fitted {
  readonly text: string;
  readonly hidden: readonly Piece[];
}

/** Gives room rank by rank. An item that is too long takes no room from those behind it. */
function fit(parts: readonly Part[], budget: number): Fitted {
  const open = new Set(parts.filter(({ isAlways }) => isAlways));
  let room = budget;
  for (const { opening, closing } of open) room -= opening.length + closing.length;
  const shown = new Set<Piece>();
  const all = parts.flatMap((part) => part.pieces.map((piece) => ({ part, piece })));
  for (const { part, piece } of all.toSorted((left, right) => left.piece.rank - right.piece.rank)) {
    if (piece.addsTo !== undefined && !shown.has(piece.addsTo)) continue;
    const frame = open.has(part) ? 0 : part.opening.length + part.closing.length;
    if (piece.text.length + frame > room) continue;
    room -= piece.text.length + frame;
    open.add(part);
    shown.add(piece);
  }
  const text = parts
    .filter((part) => open.has(part))
    .map(({ opening, closing, pieces }) =>
      [opening, ...pieces.map((piece) => (shown.has(piece) ? piece.text : "")), closing].join(""),
    )
    .join("");
  return { text, hidden: all.flatMap(({ piece }) => (shown.has(piece) ? [] : [piece])) };
}

/** What is counted, one and several. */
const NOUNS: Readonly<Record<Sort, readonly [one: string, several: string]>> = {
  hazards: ["hazard", "hazards"],
  lostRules: ["lost rule", "lost rules"],
  rules: ["changed rule", "changed rules"],
  changes: ["change", "changes"],
  held: ["held object", "held objects"],
  letGo: ["object with released fields", "objects with released fields"],
  findings: ["finding", "findings"],
  gone: ["hostname that is gone", "hostnames that are gone"],
  zones: ["zone", "zones"],
  names: ["name", "names"],
};

/** How many there are of each sort. */
type Counts = ReadonlyMap<Sort, number>;

function countsOf(pieces: readonly Piece[]): Counts {
  const total = new Map<Sort, number>();
  for (const { counts } of pieces) {
    if (counts !== undefined) total.set(counts.sort, (total.get(counts.sort) ?? 0) + counts.count);
  }
  return total;
}

/** What is left out: `Not shown here: 18,800 of 20,000 changes, 1 of 3 findings`. */
function hiddenNote(hidden: Counts, all: Counts, place: string): string {
  const parts = SORTS.flatMap((sort) => {
    const count = hidden.get(sort) ?? 0;
    const total = all.get(sort) ?? 0;
    return count === 0 ? [] : [`${thousands(count)} of ${thousands(total)} ${NOUNS[sort][total === 1 ? 0 : 1]}`];
  });
  return `\n**Not shown here: ${parts.join(", ")}**; everything is in ${place}\n`;
}

/** Where everything is. The filter of secrets checks the link as well: a link that it would change is left out. */
function placeOf({ link, redact }: Page): string {
  const target = link === undefined || redact(link) !== link ? undefined : linkTarget(link);
  return target === undefined ? "the text and JSON reports" : `[this run](<${target}>)`;
}

/**
 * An item: sentences as text, an entry of a list if the item is indented; fields and values in a block of code, commands
 * in another; names as code.
 */
function itemText(lines: readonly Line[], page: Page): string {
  if (lines.length === 0) return "";
  const least = lines.reduce((smallest, { indent }) => Math.min(smallest, indent), Infinity);
  const isListed = least > 0;
  const chunks = chunksOf(lines);
  const texts = chunks.map((chunk, index) => {
    switch (chunk.sort) {
      case "prose":
      case "names": {
        const isFirst = index === 0 || !isText(chunks[index - 1]);
        return `${isFirst ? "\n" : ""}${chunk.lines.map((each) => textLine(each, page)).join("\n")}\n`;
      }
      case "block":
        return `\n${markdownFence(blockText(chunk.lines, page), "diff")}`;
      case "commands":
        return `\n${markdownFence(chunk.lines.map(({ text }) => `${page.redact(text)}\n`).join(""), "sh")}`;
      default:
        return chunk.sort satisfies never;
    }
  });
  return isListed ? listEntry(texts.join("")) : texts.join("");
}

function isText(chunk: Chunk | undefined): boolean {
  return chunk?.sort === "prose" || chunk?.sort === "names";
}

/** The first line begins the entry, the others belong to it. */
function listEntry(text: string): string {
  const [first, ...others] = text.trimStart().split("\n");
  return [`- ${first}`, ...others.map((each) => (each === "" ? "" : `  ${each}`))].join("\n");
}

/** Lines that are laid out alike. */
interface Chunk {
  readonly sort: "prose" | "names" | "block" | "commands";
  readonly lines: Line[];
}

function chunksOf(lines: readonly Line[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (const each of lines) {
    const sort = sortOf(each);
    const last = chunks.at(-1);
    if (last?.sort === sort) last.lines.push(each);
    else chunks.push({ sort, lines: [each] });
  }
  return chunks;
}

function sortOf({ names, isCommand, field, isDetail, isWhole }: Line): Chunk["sort"] {
  if (names !== undefined) return "names";
  if (isCommand) return "commands";
  return field !== undefined || isDetail || isWhole ? "block" : "prose";
}

function textLine(given: Line, page: Page): string {
  return given.names === undefined ? proseText(given, page) : namesText(given.names, page);
}

/** A line with its mark as code, the word for a danger in bold, and its place as a link. */
function proseText({ text, aside = "", place }: Line, { redact, linkTo }: Page): string {
  const [, mark = "", rest = text] = /^(\S{1,3}) (?! )(.*)$/s.exec(text) ?? [];
  const isMark = Object.values(MARKS).includes(mark);
  const words = markdownText(redact(isMark ? rest : text))
    .replace(DANGER, (_all, before: string, word: string) => `${before}**${word}** `)
    .replace(POSITION, (_all, before: string, position: string) => `${before}${markdownCode(`#${position}`)}`);
  const target = place && linkTo?.(place);
  const link = target === undefined ? undefined : linkTarget(target);
  const remark = aside === "" ? "" : markdownCode(redact(aside));
  const beside = link === undefined ? remark : `[${remark}](<${link}>)`;
  return [isMark ? markdownCode(mark) : "", words, beside].filter((part) => part !== "").join(" ");
}

/** The word for a danger where reports put it: at the start of a hazard, and behind the name of a change. */
const DANGER = /(^|, )(DANGER|NOTICE)(?=$| ) */;

/** The position of a rule: as a plain text, a host would take it for the number of an issue. */
const POSITION = /(^|[ (])\\?#&#8203;(\d+)(?=$|[ :,)])/g;

function namesText({ all, most }: NonNullable<Line["names"]>, { redact }: Page): string {
  const shown = all.slice(0, most).map((name) => markdownCode(redact(name)));
  const rest = all.length - shown.length;
  return `${shown.join(", ")}${rest === 0 ? "" : ` and ${thousands(rest)} more`}`;
}

/** Lines have no end: a block of code scrolls sideways, and what is copied from it is complete. */
const UNBROKEN = { colour: false, columns: Number.MAX_SAFE_INTEGER };

/** The lines of a block, with `+`, `-` and `!` in the first column: by these a host colours it. */
function blockText(lines: readonly Line[], { redact }: Page): string {
  const least = lines.reduce((smallest, { indent }) => Math.min(smallest, indent), Infinity);
  return printLines(
    lines
      .flatMap((each, index) => fieldLines(each, lines[index + 1]?.isDetail === true))
      .map((each) => atFirstColumn({ ...each, indent: each.indent - least + MARGIN, text: redact(each.text) })),
    UNBROKEN,
  );
}

/** Room for the marks. */
const MARGIN = 2;

/** A field that changes takes a line for its name, and one for each value. */
function fieldLines(given: Line, isContinued: boolean): readonly Line[] {
  const { field, indent } = given;
  if (field?.before === undefined || isContinued)
    return [field?.isDanger ? { ...given, text: `! ${given.text}` } : given];
  const { name, before, after = "(unset)", remark, isDanger } = field;
  return [
    { ...given, text: `${isDanger ? "! " : ""}${name}${remark === undefined ? "" : `  ${remark}`}` },
    line(indent + MARGIN, `- ${before}`),
    line(indent + MARGIN, `+ ${after}`),
  ];
}

function atFirstColumn(given: Line): Line {
  const { indent, text } = given;
  if (!MARKED.test(text)) return given;
  return { ...given, indent: 0, text: `${text[0]}${" ".repeat(Math.max(1, indent - 1))}${text.slice(2)}` };
}

const MARKED = /^[-+!] /;

/** A table with more rows gets room only after the hazards. */
const MOST_ROWS = 20;

/** A table; the first column has no title. */
function tablePiece({ titles, rows }: Table, { redact }: Page): Piece {
  const lines = [
    ["", ...titles],
    ["---", ...titles.map(() => "--:")],
    ...rows.map(({ name, cells }) => [markdownText(redact(name)), ...cells]),
  ];
  const text = `\n${lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("")}`;
  return {
    text,
    counts: { sort: "zones", count: rows.length },
    rank: RANKS.indexOf(rows.length <= MOST_ROWS ? "verdict" : "counts"),
  };
}

/** How long a link may be. A longer address is not that of a run, and the sentence with the link has to fit. */
const LONGEST_LINK = 1000;

/** Characters to encode in the target of a link: they could end it or mean something in Markdown. */
const UNSAFE = /[^\w\-.~:/?=%+,;@#&[\]]/g;

/**
 * The target of a link, ready for `[words](<target>)`; undefined if it is no web address, contains credentials, or is
 * too long.
 */
function linkTarget(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined;
  const url = new URL(link);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  const target = url.href.replace(UNSAFE, percent).replaceAll("&", "&amp;");
  return target.length <= LONGEST_LINK ? target : undefined;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
