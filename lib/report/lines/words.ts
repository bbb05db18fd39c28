/** A count with thousands separated: `5,000`. Not by locale, so that no locale changes the bytes of a plan. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count and its noun: `1 call`, `45 calls`. */
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** How many foreign rules let traffic past: `2 foreign rules let traffic past yours`. */
export function foreignWords(count: number): string {
  return `${counted(count, "foreign rule")} ${count === 1 ? "lets" : "let"} traffic past yours`;
}

/** The noun of a kind in a sentence: `custom_hostname` is `custom hostname`. */
export function kindNoun(kind: string): string {
  return kind.replaceAll("_", " ");
}

/** A time in whole seconds, in everyday words: `1 min 20 s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 3600), "h"],
    [Math.floor((whole % 3600) / 60), "min"],
    [whole % 60, "s"],
  ];
  const said = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`);
  return said.join(" ") || "0 s";
}

/** A time that counts down or up: `0:41`, `12:05`, `1:00:00`. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, "0")}:${String(rest).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** A rounded time, in one unit if that is precise enough: `about 40 seconds`, `about 2 minutes`, `about 8 h 19 min`. */
export function aboutDuration(seconds: number): string {
  if (seconds < MINUTE_SECONDS) return `about ${counted(Math.ceil(seconds), "second")}`;
  const minutes = Math.round(seconds / MINUTE_SECONDS);
  return `about ${minutes < LONG_MINUTES ? counted(minutes, "minute") : duration(minutes * MINUTE_SECONDS)}`;
}

const MINUTE_SECONDS = 60;

/** From how many minutes on to give a time in hours and minutes. */
const LONG_MINUTES = 90;

/** How many addresses to name of a group that is too long to name whole. */
const NAMED = 3;

/** Names the first addresses and counts the rest. */
export function firstNamed(addresses: readonly string[], most: number): string {
  const others = addresses.length - most;
  return others <= 0 ? addresses.join(", ") : `${addresses.slice(0, most).join(", ")} and ${thousands(others)} more`;
}

/** Names all of a few addresses; of more than `most`, the first three with the count of the rest. */
export function named(addresses: readonly string[], most: number = NAMED): string {
  if (addresses.length <= most) return addresses.join(", ");
  return `${addresses.slice(0, NAMED).join(", ")} and ${thousands(addresses.length - NAMED)} more`;
}
