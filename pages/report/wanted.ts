import type { FacetsData, ItemData, LineData, Piece, ReportData } from "./report-page.d.ts";

/** What a reader filters by, in the order of the filters. */
export const FILTERS = ["action", "cause", "hazard", "kind", "zone", "customer"] as const;

/** One of `FILTERS`. */
export type Filter = (typeof FILTERS)[number];

/** What of a report its reader wants to see. */
export interface Wanted {
  readonly query: string;
  readonly filters: Readonly<Partial<Record<Filter, string>>>;
  /** Only this item, by its id. */
  readonly only?: string;
}

/** Everything. */
export const EVERYTHING: Wanted = { query: "", filters: {} };

/** An item with what it is found by. */
export interface Found {
  readonly item: ItemData;
  readonly section: number;
  /** Everything that it says, in small letters. */
  readonly text: string;
}

/** All items that can be searched and filtered: all but those of `head`, how many sections stand above the search. */
export function searchable(data: ReportData, head: number): readonly Found[] {
  return data.sections.flatMap(({ items }, section) =>
    section < head ? [] : items.map((item) => ({ item, section, text: item.lines.map(said).join("\n").toLowerCase() })),
  );
}

function said({ text, names = [], field, aside = "" }: LineData): string {
  const values = field === undefined ? [] : [field.name, plain(field.before), plain(field.after), field.remark ?? ""];
  return [plain(text), aside, ...values, ...names].join("\n");
}

/** The text of pieces. */
export function plain(pieces: readonly Piece[] = []): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece[0])).join("");
}

/** Whether everything is wanted. */
export function isEverything({ query, filters, only }: Wanted): boolean {
  return query.trim() === "" && only === undefined && Object.keys(filters).length === 0;
}

/** The items that are wanted. */
export function matching(found: readonly Found[], wanted: Wanted, customers: readonly string[]): readonly Found[] {
  if (isEverything(wanted)) return found;
  const words = wordsOf(wanted);
  const chosen = FILTERS.flatMap((filter) => {
    const value = wanted.filters[filter];
    return value === undefined ? [] : [{ filter, value }];
  });
  return found.filter(
    ({ item, text }) =>
      (wanted.only === undefined || item.id === wanted.only) &&
      words.every((word) => text.includes(word)) &&
      chosen.every(({ filter, value }) => valuesOf(item.facets, filter, customers).includes(value)),
  );
}

/** The words of the query, in small letters: an item has to contain all of them. */
export function wordsOf({ query }: Wanted): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** The values of one of an item's facets. */
function valuesOf(facets: FacetsData = {}, filter: Filter, customers: readonly string[]): readonly string[] {
  if (filter === "hazard") return facets.hazards ?? [];
  if (filter === "zone") return facets.zones ?? [];
  if (filter === "customer") return (facets.customers ?? []).flatMap((index) => customers[index] ?? []);
  return facets[filter] === undefined ? [] : [facets[filter]];
}

/** The values of each filter, in the order of the report. A filter without any is left out. */
export function choicesOf(
  found: readonly Found[],
  customers: readonly string[],
): readonly { readonly filter: Filter; readonly values: readonly string[] }[] {
  return FILTERS.flatMap((filter) => {
    const values =
      filter === "customer"
        ? customers
        : [...new Set(found.flatMap(({ item }) => valuesOf(item.facets, filter, customers)))];
    return values.length === 0 ? [] : [{ filter, values }];
  });
}

/** What the part of an address behind `#` asks for: an item by its id or one of its objects, or a search. */
export function wantedOf(hash: string, found: readonly Found[]): Wanted {
  const text = hash.replace(/^#/, "");
  if (text.startsWith("?")) {
    const given = new URLSearchParams(text);
    const filters = FILTERS.flatMap((filter) => {
      const value = given.get(filter);
      return value === null ? [] : [[filter, value] as const];
    });
    return { query: given.get("search") ?? "", filters: Object.fromEntries(filters) };
  }
  const name = decoded(text);
  const of = found.find(({ item }) => item.id === name || item.facets?.addresses?.includes(name));
  return name === "" || of === undefined ? EVERYTHING : { ...EVERYTHING, only: of.item.id };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The opposite of `wantedOf`: what to put behind `#`, so that a copied address shows the same. */
export function hashOf(wanted: Wanted): string {
  if (isEverything(wanted)) return "";
  if (wanted.only !== undefined) return `#${encodeURIComponent(wanted.only)}`;
  const { query, filters } = wanted;
  return `#?${new URLSearchParams({ ...(query === "" ? {} : { search: query }), ...filters }).toString()}`;
}
