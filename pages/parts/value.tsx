import type { ComponentChildren, JSX } from "preact";

/** Characters that would move, hide or reorder what stands beside them: controls, zero widths, bidirectional marks, tags. */
const UNSEEN = /((?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/u;

/**
 * Shows a text that somebody else chose. What cannot be seen in it is shown by its code, and it cannot reorder its neighbours. A
 * long one may break after a slash and the like.
 */
export function Value({ text }: { readonly text: string }): JSX.Element {
  return (
    <bdi>
      {text
        .split(UNSEEN)
        .map((part, index) => (index % 2 === 0 ? breakable(part) : <span class="control">{codePoint(part)}</span>))}
    </bdi>
  );
}

function breakable(text: string): ComponentChildren {
  const pieces = text.split(/(?<=[/=&?])(?=[^/=&?])|(?<=_)(?=[a-z])/);
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [<wbr />, piece]));
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
