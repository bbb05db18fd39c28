import type { Cause } from "../../core/diff.ts";
import type { Hazard } from "../../kinds/hazards.ts";
import type { Action } from "../../plan/change.ts";
import type { Line } from "../lines/lines.ts";

/**
 * What a command says, in reading order, decided once. Each printer in `printers/` prints any report
 * (docs/architecture.md#reports).
 */
export interface Report {
  /** The whole result in one sentence. */
  readonly verdict: Line;
  readonly sections: readonly Section[];
  /** Numbers that people would rather look at than read. Only the page draws them. */
  readonly plots?: () => readonly Plot[];
}

/** A part of a report. A section without items, table and title is left out. */
export interface Section {
  readonly title?: Line;
  /** Markdown and the page show only this until the reader opens the section; text always shows everything. */
  readonly fold?: string;
  readonly table?: Table;
  readonly items: readonly Item[];
  /** Empty lines stand between the items, except between two of one line. */
  readonly isSpaced?: true;
  readonly rank: Rank;
}

/** What gets room first in a comment that is too short for everything. `verdict` always fits. */
export const RANKS = ["verdict", "hazards", "counts", "rules", "blocked", "changes", "rest"] as const;

/** One of `RANKS`. */
export type Rank = (typeof RANKS)[number];

/** What is shown whole or left out whole: a hazard, a group of changes, a rule, a finding, a sentence. */
export interface Item {
  readonly lines: readonly Line[];
  /** What is counted if the item is left out: `1,200 changes`. */
  readonly counts?: { readonly sort: Sort; readonly count: number };
  /** Its own rank, if that is not the section's. */
  readonly rank?: Rank;
  /** It adds to the item before it, and makes no sense without it. */
  readonly isMore?: true;
  /** What the page filters by. */
  readonly facets?: Facets;
}

/** What an item is about. */
export interface Facets {
  /** Absent for what several zones have in common; `addresses` names them. */
  readonly zone?: string;
  readonly kind?: string;
  readonly action?: Action;
  /** It is blocked, or in conflict. */
  readonly isBlocked?: true;
  readonly cause?: Cause;
  readonly hazards?: readonly Hazard[];
  /** The addresses of all its objects. */
  readonly addresses?: readonly string[];
}

/** What is counted when items are left out. A change with two hazards counts as two hazards. */
export const SORTS = [
  "hazards",
  "lostRules",
  "rules",
  "changes",
  "held",
  "letGo",
  "findings",
  "gone",
  "zones",
  "names",
] as const;

/** One of `SORTS`. */
export type Sort = (typeof SORTS)[number];

/** A table: names in the first column, numbers in the others. */
export interface Table {
  /** The titles of the columns behind the first. */
  readonly titles: readonly string[];
  readonly rows: readonly { readonly name: string; readonly cells: readonly string[] }[];
}

/** Numbers to look at. */
export interface Plot {
  readonly title: string;
  /** `bars`: amounts by name. `line`: amounts over time, in the order of time. */
  readonly sort: "bars" | "line";
  readonly points: readonly { readonly label: string; readonly amount: number }[];
}

/** A section of plain lines; none for no lines. */
export function plainSection(lines: readonly Line[], rank: Rank = "rest", title?: Line): Section[] {
  return lines.length === 0 ? [] : [{ items: [{ lines }], rank, ...(title === undefined ? {} : { title }) }];
}
