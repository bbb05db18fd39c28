/** The name of a copy of a state or a journal that is set aside; `path` names what is copied, `now` is in ms since the epoch. */
export function copyName(path: string, why: "damaged" | "removed", now: number): string {
  return `${path}.${why}-${new Date(now).toISOString().replace(/[-:]/g, "")}`;
}
