import { ServiceError } from "./errors.ts";

/** Which page was asked for. */
export interface PageWanted {
  readonly page: number;
  readonly perPage: number;
}

/** The bounds of `per_page` for one endpoint (docs/service.md#pages). */
export interface PageBounds {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

/** Reads `page` and `per_page`. Throws a 400 when they are out of bounds. */
export function readPage(query: URLSearchParams, bounds: PageBounds): PageWanted {
  const perPage = whole(query, "per_page", bounds.usual);
  if (perPage < bounds.least || perPage > bounds.most)
    throw badQuery(`per_page must be between ${bounds.least} and ${bounds.most}`);
  const page = whole(query, "page", 1);
  if (page < 1) throw badQuery("page must be 1 or more");
  return { page, perPage };
}

/** A refusal of a query parameter; no code for it is published, so it is the general one for bad input. */
function badQuery(message: string): ServiceError {
  return new ServiceError(400, { code: 1004, message });
}

function whole(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name);
  if (text === null) return usual;
  if (!/^\d{1,9}$/.test(text)) throw badQuery(`${name} must be a whole number`);
  return Number(text);
}
