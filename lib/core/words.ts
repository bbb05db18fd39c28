/** A count with thousands separated: `5,000`. Not by locale, so that no locale changes the bytes of a plan. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count and its noun: `1 call`, `4,500 calls`, `2 zone settings`. */
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 || noun.endsWith("s") ? "" : "s"}`;
}

/** The first names, and how many more there are: `a.net, b.net and 3 more`. */
export function listed(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(", ")}${rest > 0 ? ` and ${thousands(rest)} more` : ""}`;
}
