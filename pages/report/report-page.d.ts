// What .ci/bundle.mjs makes of pages/report: `#report-page` in the `imports` of package.json resolves to these types and to that
// module.

/** What the page of a report shows. */
export interface ReportData {
  /** What the window, the printed page and a bookmark call it: `zoneform plan edge-prod`. */
  readonly title: string;
  /** When the report was made, for people. */
  readonly madeAt: string;
  readonly verdict: readonly Piece[];
  readonly sections: readonly SectionData[];
  readonly plots: readonly PlotData[];
  /** Registrable domains; items name them by their place in this list. */
  readonly customers: readonly string[];
}

/** A part of a report. */
export interface SectionData {
  readonly title?: LineData;
  /** It is closed until the reader opens it, and is called this. */
  readonly fold?: string;
  /** It holds hazards: they are cards at the top, and no filter hides them. */
  readonly isHazards?: true;
  readonly table?: TableData;
  readonly items: readonly ItemData[];
}

/** A table whose cells filter: a row is a zone, a column an action. */
export interface TableData {
  readonly titles: readonly string[];
  readonly rows: readonly { readonly name: string; readonly cells: readonly string[] }[];
}

/** A group of changes, a hazard, a finding, a sentence. Its first line is its title. */
export interface ItemData {
  /** Its place in the address of the page, behind `#`. */
  readonly id: string;
  readonly lines: readonly LineData[];
  /** The mark of its action, as the text has it. */
  readonly glyph?: string;
  /** Its reader sees all of it at once. */
  readonly isOpen?: true;
  readonly facets?: FacetsData;
}

/** What an item is about. */
export interface FacetsData {
  readonly zones?: readonly string[];
  readonly kind?: string;
  readonly action?: string;
  readonly cause?: string;
  readonly hazards?: readonly string[];
  readonly customers?: readonly number[];
  /** Its objects, as an address names them. */
  readonly addresses?: readonly string[];
}

/** A line: a sentence, a list of names, a field with its values, or a command to copy. */
export interface LineData {
  readonly text: readonly Piece[];
  /** How many columns it stands further right than its item. */
  readonly indent?: number;
  readonly tone?: Tone;
  /** The word at its begin that says how bad it is. */
  readonly mark?: string;
  readonly aside?: string;
  /** An address that `aside` links to. */
  readonly link?: string;
  readonly names?: readonly string[];
  readonly field?: FieldData;
  readonly isCommand?: true;
}

/** A field with its values. A value that is absent was not set, or is not of interest. */
export interface FieldData {
  readonly name: string;
  readonly before?: readonly Piece[];
  readonly after?: readonly Piece[];
  readonly isDanger?: true;
  readonly remark?: string;
}

/** How a line or a part of it looks; its words say the same. */
export type Tone = "heading" | "good" | "warn" | "bad" | "quiet";

/** A part of a text, and perhaps its own look. */
export type Piece = string | readonly [text: string, tone: Tone];

/** Numbers to look at. */
export interface PlotData {
  readonly title: string;
  readonly sort: "bars" | "line";
  readonly points: readonly { readonly label: string; readonly amount: number }[];
}

/** Returns the page as one HTML document, with its style, its script and its data. */
export function pageDocument(content: {
  readonly title: string;
  /** `ReportData`, or its JSON, compressed (raw deflate) and in base64. */
  readonly data: ReportData | string;
  /** What to show until the script has run, or where there is none: made by `markup`. */
  readonly markup: string;
}): string;

/** Returns the HTML of a report's beginning: all that matters at first, and the first items. */
export function markup(data: ReportData): string;
