/** The name of a copy of a state or a journal that is set aside; `now` is in ms since the epoch. */
export function copyName(part: "state" | "journal", why: "damaged" | "removed", now: number): string {
  return `${part}.${why}-${new Date(now).toISOString().replace(/[-:]/g, "")}`;
}

/** Whether a copy may have this name. */
export function isCopyName(text: string): boolean {
  return /^(state|journal)\.(damaged|removed)-[\w.-]*$/.test(text);
}
