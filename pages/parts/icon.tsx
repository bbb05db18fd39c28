import type { JSX } from "preact";

/** Paths in a square of 16, drawn as lines. */
const PATHS = {
  add: "M8 3v10M3 8h10",
  bolt: "M9 1.8L3.5 9H8l-1 5.2L12.5 7H8z",
  check: "M3 8.5l3.2 3.2L13 4.8",
  clock: "M8 1.8a6.2 6.2 0 100 12.4A6.2 6.2 0 008 1.8zM8 4.5V8l2.4 1.6",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  down: "M8 3v10M4 9l4 4 4-4",
  edit: "M10.8 2.6l2.6 2.6-7.6 7.6-3.3.7.7-3.3z",
  left: "M10 3.5L5.5 8l4.5 4.5",
  list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  pause: "M5.5 3v10M10.5 3v10",
  person: "M8 8a2.8 2.8 0 100-5.6A2.8 2.8 0 008 8zM2.6 14c.5-2.8 2.6-4.2 5.4-4.2s4.9 1.4 5.4 4.2",
  play: "M4.5 2.8v10.4L13 8z",
  remove: "M2.5 4.2h11M6.2 4.2V2.4h3.6v1.8M4 4.2l.7 9.4h6.6l.7-9.4",
  right: "M6 3.5L10.5 8 6 12.5",
  search: "M7 2.2a4.8 4.8 0 100 9.6 4.8 4.8 0 000-9.6zM10.5 10.5l3.3 3.3",
  up: "M8 13V3M4 7l4-4 4 4",
  warning: "M8 2l6.5 11.5h-13zM8 6.2v3.4M8 11.6v.1",
} as const;

/** An icon's name. */
export type IconName = keyof typeof PATHS;

/** Shows an icon beside a word that says the same, so that a screen reader skips it. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
