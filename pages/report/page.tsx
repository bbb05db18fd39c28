import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { Search } from "../parts/search.tsx";
import { Value } from "../parts/value.tsx";
import { VirtualRows } from "../parts/virtual-rows.tsx";
import { Copy, Lines, Mark, Pieces } from "./lines.tsx";
import { PlotCard } from "./plot-card.tsx";
import type { ItemData, LineData, ReportData, SectionData, TableData } from "./report-page.d.ts";
import {
  choicesOf,
  EVERYTHING,
  type Filter,
  type Found,
  hashOf,
  isEverything,
  matching,
  plain,
  searchable,
  type Wanted,
  wantedOf,
  wordsOf,
} from "./wanted.ts";

/** How many items to show at once: what a reader without a script gets, and each click on "more". */
const AT_ONCE = 50;

/** From how many choices on a filter is a field to type in. */
const MANY_CHOICES = 50;

/** What each filter is called. */
const FILTER_WORDS = {
  action: "Action",
  cause: "Cause",
  hazard: "Hazard",
  kind: "Kind",
  zone: "Zone",
  customer: "Customer",
} as const satisfies Record<Filter, string>;

/** The report of any command: what matters on top, then search and filters over all its items. */
export function ReportPage({ data }: { readonly data: ReportData }): JSX.Element {
  const { sections, customers } = data;
  const head = useMemo(() => headOf(sections), [sections]);
  const found = useMemo(() => searchable(data, head), [data, head]);
  const choices = useMemo(() => choicesOf(found, customers), [found, customers]);
  const [wanted, setWanted] = useWanted(found);
  const [most, setMost] = useState(AT_ONCE);
  const results = useMemo(() => matching(found, wanted, customers), [found, wanted, customers]);
  const details = useRef<HTMLElement>(null);
  const show = (next: Wanted): void => {
    setMost(AT_ONCE);
    setWanted(next);
  };
  const choose = (filters: Wanted["filters"]): void => {
    show({ ...EVERYTHING, filters });
    details.current?.scrollIntoView();
  };
  // Nothing stands above a danger.
  const hasDanger = found.some(({ item }) => item.lines.some(({ mark }) => mark === "DANGER"));
  const view: View = {
    query: wordsOf(wanted),
    isFiltered: !isEverything(wanted),
    isSmall: found.length + objectsOf(found) <= 2 * GLANCE,
    choices,
    choose,
  };
  return (
    <>
      <header class="top">
        <p class="kicker">
          <strong>
            <Value text={data.title} />
          </strong>
          <span class="quiet"> {data.madeAt}</span>
        </p>
        <h1>
          <Pieces pieces={data.verdict} />
        </h1>
      </header>
      <main>
        {sections.slice(0, head).map((section, index) => (
          <Part key={index} section={section} items={section.items} view={{ ...view, query: [], isFiltered: false }} />
        ))}
        {!hasDanger && <Plots plots={data.plots} />}
        <section ref={details} class="results" aria-label="Details">
          {(choices.some(hasChoice) || view.isFiltered || !view.isSmall) && (
            <Toolbar wanted={wanted} show={show} choices={choices} count={results.length} all={found.length} />
          )}
          <Results data={data} head={head} results={results.slice(0, most)} view={view} />
          {results.length > most && (
            <p class="more">
              <button type="button" class="button live-only" onClick={() => setMost(most + AT_ONCE)}>
                <Icon name="down" /> Show {Math.min(AT_ONCE, results.length - most)} more of{" "}
                {(results.length - most).toLocaleString("en")}
              </button>
              <span class="static-only">
                These are the first {most} of {results.length.toLocaleString("en")} parts of the report. Where
                JavaScript is on, this page shows and searches all of them.
              </span>
            </p>
          )}
        </section>
        {hasDanger && <Plots plots={data.plots} />}
        <Objects results={results} />
      </main>
    </>
  );
}

/** What is wanted, kept in the address of the page, so that a copied address shows the same. */
function useWanted(found: readonly Found[]): [Wanted, (wanted: Wanted) => void] {
  const [wanted, setWanted] = useState(EVERYTHING);
  useEffect(() => {
    const read = (): void => setWanted(wantedOf(location.hash, found));
    read();
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, [found]);
  const change = (next: Wanted): void => {
    setWanted(next);
    history.replaceState(null, "", hashOf(next) || location.pathname + location.search);
  };
  return [wanted, change];
}

/** How many sections stand above the search: the hazards and the counts, and what comes before them. */
function headOf(sections: readonly SectionData[]): number {
  const first = sections.findIndex(
    ({ isHazards, items }) => !isHazards && items.some(({ facets }) => facets !== undefined),
  );
  const before = first < 0 ? sections : sections.slice(0, first);
  return before.findLastIndex(({ isHazards, table }) => isHazards || table !== undefined) + 1;
}

/** Up to this many entries, and as many objects, are seen at a glance. */
const GLANCE = 12;

/** Up to how many lines of an entry in a small report stand open. */
const MOST_OPEN = 12;

function Plots({ plots }: Pick<ReportData, "plots">): JSX.Element | null {
  if (plots.length === 0) return null;
  return (
    <section class="plots" aria-label="Plots">
      {plots.map((plot) => (
        <PlotCard key={plot.title} plot={plot} />
      ))}
    </section>
  );
}

function objectsOf(found: readonly Found[]): number {
  return found.reduce((sum, { item }) => sum + (item.facets?.addresses?.length ?? 0), 0);
}

/** How a report is looked at just now. */
interface View {
  /** The words that are searched for. */
  readonly query: readonly string[];
  readonly isFiltered: boolean;
  /** The whole report is seen at a glance. */
  readonly isSmall: boolean;
  /** What can be filtered by, and how to do it. */
  readonly choices: ReturnType<typeof choicesOf>;
  readonly choose: (filters: Wanted["filters"]) => void;
}

interface ResultsProps {
  readonly data: ReportData;
  readonly head: number;
  readonly results: readonly Found[];
  readonly view: View;
}

function Results({ data, head, results, view }: ResultsProps): JSX.Element {
  const { isFiltered } = view;
  const shown = new Map<number, ItemData[]>();
  for (const { item, section } of results) {
    const items = shown.get(section) ?? [];
    items.push(item);
    shown.set(section, items);
  }
  if (results.length === 0 && isFiltered) return <p class="empty sheet">Nothing in this report matches.</p>;
  return (
    <>
      {data.sections.map((section, index) => {
        const items = shown.get(index) ?? [];
        const isLeftOut = index < head || (items.length === 0 && (isFiltered || section.items.length > 0));
        return isLeftOut ? null : <Part key={index} section={section} items={items} view={view} />;
      })}
    </>
  );
}

interface PartProps {
  readonly section: SectionData;
  readonly items: readonly ItemData[];
  readonly view: View;
}

/** A section: its title, its table, and its items as cards (hazards), rows to open (changes) or plain lines. */
function Part({ section, items, view }: PartProps): JSX.Element {
  const { query, isFiltered, isSmall } = view;
  const { title, fold, table, isHazards } = section;
  const hasRows = items.some(({ facets }) => facets !== undefined);
  const content = isHazards ? (
    <div class="cards">
      {items.map((item) => (
        <HazardCard key={item.id} item={item} view={view} />
      ))}
    </div>
  ) : (
    <div class={hasRows ? "items sheet" : "notes"}>
      {items.map((item) => (
        <ItemRow key={item.id} item={item} query={query} isOpen={isSmall || (isFiltered && items.length === 1)} />
      ))}
    </div>
  );
  return (
    <section class={isHazards ? "part hazards" : "part"}>
      {title !== undefined && (
        <div class="title">
          <h2 class={`tone-${title.tone ?? "plain"}`}>
            <Pieces pieces={title.text} />
          </h2>
          {items.length > 0 && <Copy text={() => textOf(items)} label="Copy this part as text" />}
        </div>
      )}
      {table !== undefined && <Counts table={table} view={view} />}
      {items.length === 0 ? null : fold === undefined ? (
        content
      ) : (
        <details class="fold" open={isFiltered || hasRows}>
          <summary>
            <Value text={fold} />
          </summary>
          {content}
        </details>
      )}
    </section>
  );
}

/** Items as plain text, to be sent to somebody. */
function textOf(items: readonly ItemData[]): string {
  return items
    .flatMap(({ lines }) => lines)
    .map(({ text, indent = 0, mark, names, field }) => {
      const values =
        field === undefined
          ? plain(text)
          : `${field.name}  ${[field.before, field.after].filter(Boolean).map(plain).join(" -> ")}`;
      return `${" ".repeat(indent)}${mark === undefined ? "" : `${mark}  `}${names === undefined ? values : names.join(", ")}`;
    })
    .join("\n");
}

/** A danger, or a notice: its words are never folded. */
function HazardCard({ item, view }: { readonly item: ItemData; readonly view: View }): JSX.Element {
  const { choose, choices } = view;
  const [first, ...others] = item.lines;
  const hazard = item.facets?.hazards?.[0];
  const isFilter = choices.some(
    ({ filter, values }) => filter === "hazard" && hazard !== undefined && values.includes(hazard),
  );
  return (
    <article class={first?.mark === "NOTICE" ? "card notice" : "card"}>
      {first !== undefined && (
        <p class="words">
          {first.mark !== undefined && <Mark text={first.mark} />}
          <Pieces pieces={first.text} />
        </p>
      )}
      <Lines lines={others} query={[]} />
      <p class="foot">
        {first?.aside !== undefined && <code class="quiet">{first.aside}</code>}
        {isFilter && hazard !== undefined && (
          <button type="button" class="button small live-only" onClick={() => choose({ hazard })}>
            Show the changes
          </button>
        )}
      </p>
    </article>
  );
}

/** A table of counts. A cell shows what it counts. */
function Counts({ table, view }: { readonly table: TableData; readonly view: View }): JSX.Element {
  const { titles, rows } = table;
  const { choose, choices } = view;
  const can = (filter: Filter, value: string): boolean =>
    choices.some((choice) => choice.filter === filter && choice.values.includes(value));
  return (
    <div class="counts sheet" tabIndex={0} role="region" aria-label="Counts">
      <table>
        <thead>
          <tr>
            <td />
            {titles.map((title) => (
              <th scope="col" key={title}>
                <Value text={title} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row">
                <Value text={name} />
              </th>
              {cells.map((cell, index) => {
                const action = titles[index] ?? "";
                const isFilter = Number.parseInt(cell, 10) > 0 && can("action", action);
                return (
                  <td key={action} class={/^[0-]?$/.test(cell) ? "none" : ""}>
                    {isFilter ? (
                      <button
                        type="button"
                        class="cell"
                        aria-label={`${cell} ${action} in ${name}: show them`}
                        onClick={() => choose({ action, ...(can("zone", name) ? { zone: name } : {}) })}
                      >
                        {cell}
                      </button>
                    ) : (
                      cell
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ToolbarProps {
  readonly wanted: Wanted;
  readonly show: (wanted: Wanted) => void;
  readonly choices: ReturnType<typeof choicesOf>;
  readonly count: number;
  readonly all: number;
}

function Toolbar({ wanted, show, choices, count, all }: ToolbarProps): JSX.Element {
  const { filters, only } = wanted;
  const set = (filter: Filter, value: string): void => {
    const { [filter]: _before, ...others } = filters;
    show({ query: wanted.query, filters: value === "" ? others : { ...others, [filter]: value } });
  };
  const said = isEverything(wanted)
    ? `${all.toLocaleString("en")} entries`
    : only === undefined
      ? `${count.toLocaleString("en")} of ${all.toLocaleString("en")} entries`
      : "1 entry, as the link asked";
  return (
    <div class="toolbar live-only" role="search" aria-label="Search this report">
      <Search
        label="Search names, fields, values, files"
        value={wanted.query}
        onChange={(query) => show({ query, filters })}
      />
      <div class="choices">
        {choices.filter(hasChoice).map(({ filter, values }) => (
          <label key={filter} class={filters[filter] === undefined ? "choice" : "choice is-set"}>
            <span>{FILTER_WORDS[filter]}</span>
            {values.length > MANY_CHOICES ? (
              <>
                <input
                  type="text"
                  list={`choices-${filter}`}
                  placeholder="any"
                  value={filters[filter] ?? ""}
                  onChange={(event) => set(filter, event.currentTarget.value.trim())}
                />
                <datalist id={`choices-${filter}`}>
                  {values.slice(0, MOST_LISTED).map((value) => (
                    <option key={value} value={value} />
                  ))}
                </datalist>
              </>
            ) : (
              <select value={filters[filter] ?? ""} onChange={(event) => set(filter, event.currentTarget.value)}>
                <option value="">any</option>
                {values.map((value) => (
                  <option key={value} value={value}>
                    {value}
                  </option>
                ))}
              </select>
            )}
          </label>
        ))}
      </div>
      <p class="count">
        <span role="status">{said}</span>
        {!isEverything(wanted) && (
          <button type="button" class="button small" onClick={() => show(EVERYTHING)}>
            <Icon name="close" /> Show everything
          </button>
        )}
      </p>
    </div>
  );
}

/** One value is no choice. */
function hasChoice({ values }: { readonly values: readonly string[] }): boolean {
  return values.length > 1;
}

/** How many choices a browser lists below a field; any other can still be typed. */
const MOST_LISTED = 1000;

/** One item: a row that opens, or a sentence where there is nothing to open. */
function ItemRow({
  item,
  query,
  isOpen,
}: {
  readonly item: ItemData;
  readonly query: readonly string[];
  readonly isOpen: boolean;
}): JSX.Element | null {
  const [first, ...others] = item.lines;
  if (first === undefined) return null;
  if (item.facets === undefined)
    return (
      <div class="note">
        <Lines lines={item.lines} query={query} />
      </div>
    );
  const isBelow = query.some((word) => !plain(first.text).toLowerCase().includes(word));
  const title = (
    <>
      <span class={`glyph tone-${first.tone ?? "plain"}`} aria-hidden="true">
        {item.glyph ?? "•"}
      </span>
      <span class="what">
        {first.mark !== undefined && <Mark text={first.mark} />}
        <Pieces pieces={first.text} />
        <Preview lines={others} />
      </span>
      {first.aside !== undefined && (
        <span class="aside">
          <Value text={first.aside} />
        </span>
      )}
    </>
  );
  if (others.length === 0)
    return (
      <div class="item is-short" id={item.id}>
        {title}
      </div>
    );
  return (
    <details class="item" id={item.id} open={item.isOpen || (isOpen && others.length <= MOST_OPEN) || isBelow}>
      <summary>{title}</summary>
      <div class="body">
        <Lines lines={others} query={query} />
        <p class="foot">
          {first.link !== undefined && (
            <a href={first.link} rel="noreferrer">
              Open <Value text={first.aside ?? "the file"} />
            </a>
          )}
          <a class="live-only" href={`#${encodeURIComponent(item.id)}`}>
            Link to this entry
          </a>
        </p>
      </div>
    </details>
  );
}

/** What a closed row already says of its inside: its first field, and its first names. */
function Preview({ lines }: { readonly lines: readonly LineData[] }): JSX.Element | null {
  const fields = lines.flatMap(({ field }) => field ?? []);
  const [field] = fields;
  const names = lines.find(({ names }) => names !== undefined)?.names ?? [];
  if (field === undefined && names.length === 0) return null;
  return (
    <span class="preview">
      {field !== undefined && (
        <span>
          <Value
            text={`${field.name}  ${[field.before, field.after].flatMap((side) => (side === undefined ? [] : plain(side))).join(" → ")}`}
          />
          {fields.length > 1 && ` +${fields.length - 1}`}
        </span>
      )}
      {names.length > 0 && (
        <span>
          <Value text={names.slice(0, FEW).join(", ")} />
          {names.length > FEW && ` +${(names.length - FEW).toLocaleString("en")}`}
        </span>
      )}
    </span>
  );
}

/** How many names a closed row has. */
const FEW = 3;

/** Every object of the shown items, one a row. Without a script they are named where they change. */
function Objects({ results }: { readonly results: readonly Found[] }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const objects = useMemo(
    () => results.flatMap(({ item }) => (item.facets?.addresses ?? []).map((address) => ({ address, ...item.facets }))),
    [results],
  );
  if (objects.length <= GLANCE) return null;
  return (
    <details class="objects live-only" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All {objects.length.toLocaleString("en")} objects, one by one</summary>
      {isOpen && (
        <VirtualRows
          label="All objects"
          rows={objects}
          rowHeight={34}
          height={476}
          cells={({ address, action = "", hazards = [] }) => (
            <>
              <span role="cell" class="mono">
                <a href={`#${encodeURIComponent(address)}`}>
                  <Value text={address} />
                </a>
              </span>
              <span role="cell">{action}</span>
              <span role="cell" class="quiet">
                {hazards.join(", ")}
              </span>
            </>
          )}
        />
      )}
    </details>
  );
}
