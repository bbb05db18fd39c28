/** A zone of the project. */
export interface SimZone {
  readonly id: string;
  readonly name: string;
}

/** The zone that every seed plays in. */
export const MAIN: SimZone = { id: "023e105f4ecef8ad9ca31a8372d0c353", name: "saas.net" };
/** The second zone, which some seeds have. */
export const NEXT: SimZone = { id: "8d1f62c0b7a94e35a6d2903cf41be577", name: "next.net" };

/** One of the two zones. */
export type Side = "main" | "next";

/** The zone of a side. */
export const ZONES: Readonly<Record<Side, SimZone>> = { main: MAIN, next: NEXT };

const ZONE_PATH = /^\/client\/v4\/zones\/([^/]+)(.*)$/;

/** The id of the zone that a request concerns; undefined if there is none. */
export function zoneOf(url: string): string | undefined {
  return ZONE_PATH.exec(new URL(url).pathname)?.[1];
}

/** The part of a request's path after the zone. */
export function pathInZone(url: string): string {
  return inZone(new URL(url).pathname);
}

/** The part of a path after the zone. */
export function inZone(path: string): string {
  return ZONE_PATH.exec(path)?.[2] ?? "";
}
