import type { Json } from "../../../lib/core/json.ts";

/** A comment or an issue, as somebody reads it. */
export interface Note {
  readonly id: number;
  /** What it belongs to: the number of a pull request, or a title. */
  readonly place: string;
  body: string;
  /** Whether somebody else wrote it than a job. */
  readonly isForeign?: boolean;
  readonly isClosed?: boolean;
}

/** Notes of one sort. What changes one answers as an API does, and throws where a host refuses. */
export interface Notebook {
  readonly all: Note[];
  /** The open ones with a label that stands in brackets after their title, as a query for issues wants it. */
  readonly find: (query: URLSearchParams) => readonly Note[];
  readonly add: (place: string, body: string) => Json;
  readonly rewrite: (id: string | undefined, body: string) => Json;
}

/** An empty notebook of a host that takes bodies of these lengths. */
export function openNotebook(
  nextId: () => number,
  { fewest, most }: { readonly fewest: number; readonly most: number },
): Notebook {
  const all: Note[] = [];
  const checked = (body: string): string => {
    if (body.length < fewest || body.length > most) throw new Error(`the body has ${body.length} characters`);
    return body;
  };
  return {
    all,
    find: (query) => {
      const [isOnlyOpen, label] = [query.has("state"), query.get("labels")];
      return all.filter(
        ({ place, isClosed }) => !(isOnlyOpen && isClosed) && (label === null || place.endsWith(`[${label}]`)),
      );
    },
    add: (place, body) => {
      const id = nextId();
      all.push({ id, place, body: checked(body) });
      return { id };
    },
    rewrite: (id, body) => {
      const found = all.find((each) => String(each.id) === id);
      if (!found) throw new Error(`there is no note ${id ?? ""}`);
      found.body = checked(body);
      return { id: found.id };
    },
  };
}
