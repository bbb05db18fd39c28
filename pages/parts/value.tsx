import type { JSX } from "preact";

/** Characters that would move, hide or reorder what stands beside them: controls, zero widths, bidirectional marks, tags. */
const UNSEEN = /((?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/u;

/** Shows a text that somebody else chose. What cannot be seen in it is shown by its code, and it cannot reorder its neighbours. */
export function Value({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split(UNSEEN);
  return (
    <bdi>{parts.map((part, index) => (index % 2 === 0 ? part : <span class="control">{codePoint(part)}</span>))}</bdi>
  );
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
