/** The first part of a run's id, which tells it apart in a text: `7afb14ca`. */
export function runName(run: string): string {
  return /^[0-9a-f]{8}(?=-)/.exec(run)?.[0] ?? run;
}
