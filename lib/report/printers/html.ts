import { deflateRawSync } from "node:zlib";
import type { FacetsData, FieldData, ItemData, LineData, Piece, ReportData, SectionData, Tone } from "#report-page";
import { parseAddress } from "../../core/address.ts";
import type { Position } from "../../core/diagnostic.ts";
import { defined } from "../../core/json.ts";
import { isHostname } from "../../kinds/registry.ts";
import { type Accent, append, type Field, type Line, type Style } from "../lines/lines.ts";
import type { Complete } from "./text.ts";
import { MARKS } from "../lines/marks.ts";
import { textPair } from "../lines/text-diff.ts";
import { firstNamed, fullName, zonesOf } from "../lines/words.ts";
import type { Item, Report, Section } from "../sections/report.ts";

/** What a page needs to know beside the report. */
export interface PageWords {
  /** What the window and a bookmark call it: `zoneform plan edge-prod`. */
  readonly title: string;
  /** When the report was made, for people. */
  readonly madeAt: string;
  /** Completes a command that the reader copies; absent: it stays as it is. */
  readonly complete?: Complete;
  /** The web address of a place in a file; undefined if it has none. */
  readonly linkTo?: (place: Position) => string | undefined;
  /** Removes secrets that got into the report anyway. It has to run here: nothing finds them in compressed data. */
  readonly redact?: (text: string) => string;
}

/** From how many characters on the data is compressed: a browser reads half a megabyte at once. */
const MOST_PLAIN = 500_000;

/**
 * Any report as one HTML document that loads nothing. What matters can be read without a script; the script adds search,
 * filters and the rest of a long report.
 */
export async function reportPage(report: Report, words: PageWords): Promise<string> {
  const { pageDocument, markup } = await import("#report-page");
  const { redact = (text) => text } = words;
  const found = await reportData(report, words);
  const json = JSON.stringify(found, (_key, value: unknown) => (typeof value === "string" ? redact(value) : value));
  const data: ReportData = JSON.parse(json);
  const packed = json.length <= MOST_PLAIN ? data : deflateRawSync(json, { level: 9 }).toString("base64");
  return pageDocument({ title: words.title, data: packed, markup: markup(data) });
}

/** A report as the page's script reads it: texts in parts, objects with their customers, places with their links. */
export async function reportData(report: Report, words: PageWords): Promise<ReportData> {
  const customers = await openCustomers();
  const { verdict, sections, plots = () => [] } = report;
  const used = new Set<string>();
  const idFor = (name?: string): string => {
    const id = name === undefined || used.has(name) ? `entry-${used.size + 1}` : name;
    used.add(id);
    return id;
  };
  return {
    title: words.title,
    madeAt: words.madeAt,
    verdict: piecesOf(verdict),
    sections: sections.map((section) => sectionData(section, words, idFor, customers.of)),
    plots: plots(),
    customers: customers.all,
  };
}

/** Makes an id that no other entry has: the address of its object, or else a number. */
type IdFor = (name?: string) => string;

function sectionData(
  { title, fold, table, items, rank }: Section,
  words: PageWords,
  idFor: IdFor,
  customersOf: CustomersOf,
): SectionData {
  return {
    ...(title === undefined ? {} : { title: lineData(title, title.indent, words) }),
    ...defined({ fold, table }),
    ...(rank === "hazards" ? { isHazards: true } : {}),
    items: together(items).flatMap((item) =>
      itemData(item, words, rank === "hazards" ? () => idFor() : idFor, customersOf),
    ),
  };
}

/** Items with what adds to them, because the page shows and hides both together. */
function together(items: readonly Item[]): readonly Item[] {
  const whole: { item: Item; lines: Line[] }[] = [];
  for (const item of items) {
    const last = whole.at(-1);
    if (item.isMore && last !== undefined) append(last.lines, item.lines);
    else whole.push({ item, lines: [...item.lines] });
  }
  return whole.map(({ item, lines }) => ({ ...item, lines }));
}

function itemData(item: Item, words: PageWords, idFor: IdFor, customersOf: CustomersOf): ItemData[] {
  const lines = item.lines.filter(({ only, isDetail }) => only !== "cut" && isDetail !== true);
  const [first] = lines;
  if (first === undefined) return [];
  const { addresses = [] } = item.facets ?? {};
  const glyph = item.facets?.action && MARKS[item.facets.action];
  const data = lines.map((each) => lineData(each, first.indent, words));
  const [title, ...others] = data;
  const isNamed = addresses.length < 2 || lines.some(({ names }) => names?.all.length === addresses.length);
  const names = isNamed ? [] : [{ text: [], indent: 4, names: addresses.map(fullName) }];
  return [
    {
      id: addresses.length === 1 ? idFor(addresses[0]) : idFor(),
      lines: [title === undefined ? { text: [] } : unmarked(title, glyph), ...others, ...names],
      ...defined({ glyph }),
      ...(item.rank === "hazards" || (glyph === undefined && lines.length <= MOST_OPEN) ? { isOpen: true } : {}),
      ...(item.facets === undefined ? {} : { facets: facetsData(item, customersOf) }),
    },
  ];
}

/** An entry that is no change stands open up to this many lines. */
const MOST_OPEN = 8;

/** A title without the mark of its action, which the page shows beside it. */
function unmarked(title: LineData, glyph: string | undefined): LineData {
  const [first = "", ...others] = title.text;
  if (glyph === undefined || typeof first !== "string" || !first.startsWith(`${glyph} `)) return title;
  return { ...title, text: [first.slice(glyph.length + 1), ...others] };
}

function facetsData({ facets = {}, counts }: Item, customersOf: CustomersOf): FacetsData {
  const { zone, kind, action, isBlocked, cause, hazards = [], addresses = [] } = facets;
  const zones = zone === undefined ? zonesOf(addresses) : [zone];
  const customers = customersOf(addresses);
  const word = action ?? (counts?.sort === "held" ? "held" : undefined);
  return {
    ...(zones.length === 0 ? {} : { zones }),
    ...defined({ kind, action: isBlocked ? "blocked" : word === "forget" ? "release" : word, cause }),
    ...(hazards.length === 0 ? {} : { hazards }),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(customers.length === 0 ? {} : { customers }),
  };
}

/** The customers of some objects: the places of their registrable domains in the list of all. */
type CustomersOf = (addresses: readonly string[]) => readonly number[];

async function openCustomers(): Promise<{ readonly of: CustomersOf; readonly all: readonly string[] }> {
  const { getDomain } = await import("tldts");
  const places = new Map<string, number>();
  const all: string[] = [];
  const placeOf = (domain: string): number => {
    const place = places.get(domain) ?? all.length;
    if (place === all.length) {
      places.set(domain, place);
      all.push(domain);
    }
    return place;
  };
  const of: CustomersOf = (addresses) => [
    ...new Set(
      addresses.flatMap((address) => {
        const { kind, key } = parseAddress(address) ?? {};
        if (kind === undefined || key === undefined || !isHostname(kind)) return [];
        const domain = getDomain(key, { allowPrivateDomains: true, validateHostname: false });
        return domain === null ? [] : [placeOf(domain)];
      }),
    ),
  ];
  return { of, all };
}

/** The word at the begin of a line that says how bad it is. */
const MARK = /^(DANGER|NOTICE)\s+/;

function lineData(line: Line, from: number, words: PageWords): LineData {
  const { linkTo, redact = (text) => text, complete = (command) => command } = words;
  const { indent, style = "plain", aside = "", place, names, field, isCommand } = line;
  // Ahead of any cut, which could go through a secret.
  const text = redact(isCommand ? complete(line.text) : line.text);
  const given: Line = text === line.text ? line : { ...line, text, accents: [] };
  const mark = MARK.exec(text);
  const link = place && linkTo?.(place);
  return {
    text:
      names === undefined ? (field === undefined ? piecesOf(given, mark?.[0].length) : []) : beforeNames(text, names),
    ...(indent > from ? { indent: indent - from } : {}),
    ...(style === "plain" ? {} : { tone: style }),
    ...(mark?.[1] === undefined ? {} : { mark: mark[1] }),
    ...(aside === "" ? {} : { aside }),
    ...defined({ link, isCommand }),
    ...(names === undefined ? {} : { names: names.all }),
    ...(field === undefined ? {} : { field: fieldData(field, redact) }),
  };
}

/** What a line says before its names. */
function beforeNames(text: string, { all, most }: NonNullable<Line["names"]>): readonly Piece[] {
  const list = firstNamed(all, most);
  return text.endsWith(list) && text !== list ? [text.slice(0, -list.length).trimEnd()] : [];
}

/** A field; of two values, the words that differ are marked. */
function fieldData({ name, isDanger, remark, ...values }: Field, redact: NonNullable<PageWords["redact"]>): FieldData {
  const [before, after] = [values.before, values.after].map((value) => value && redact(value));
  const isPair = before !== undefined && after !== undefined && Math.max(before.length, after.length) > SHORT;
  const [old, fresh] = isPair
    ? textPair(before, after, 0, { marks: ["", ""], isDanger }).map((each) => marked(each))
    : [];
  return {
    name,
    ...(before === undefined ? {} : { before: old ?? [before] }),
    ...(after === undefined ? {} : { after: fresh ?? [after] }),
    ...defined({ isDanger, remark }),
  };
}

/** Up to this length two values are compared at a glance. */
const SHORT = 24;

function marked({ text, accents = [] }: Line): readonly Piece[] {
  return cut(text, accents, () => "heading");
}

/** The text of a line in its parts; a word that warns is a part of its own. */
function piecesOf({ text, accents = [] }: Line, from = 0): readonly Piece[] {
  const loud = [...text.matchAll(LOUD)].map(({ index, 0: word }): Accent => ({
    from: index,
    to: index + word.length,
    style: "bad",
  }));
  const all = [...loud, ...accents].toSorted((left, right) => left.from - right.from);
  return cut(text, all, (each) => (each === "plain" ? undefined : each), from);
}

const LOUD = /(?<=, )(?:DANGER|BLOCKED|CONFLICT)\b/g;

function cut(text: string, accents: readonly Accent[], toneOf: (style: Style) => Tone | undefined, from = 0): Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  const push = (to: number, style?: Style): void => {
    const part = text.slice(at, to);
    const tone = style && toneOf(style);
    if (part !== "") pieces.push(tone === undefined ? part : [part, tone]);
    at = Math.max(at, to);
  };
  for (const { from: begin, to, style } of accents) {
    if (begin < at) continue;
    push(begin);
    push(to, style);
  }
  push(text.length);
  return pieces;
}
