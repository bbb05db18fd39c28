/**
 * What a terminal, a CI log or a reader could be misled by: control characters (C0, C1 and so ESC, CSI, OSC, CR, BS,
 * newline), format characters and all that is drawn as nothing (BiDi, zero-width, soft hyphen, tags, selectors), lone
 * surrogates, line and paragraph separators, and spaces that are not the plain one.
 */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** What most lines consist of. */
const PLAIN = /^[ -"$-~]*$/;

/** The old form of a CI command, which a runner finds anywhere in a line. */
const OLD_COMMAND = /##\[/g;

/**
 * Makes a text safe for one line of a terminal or of a CI log: everything that is not plainly visible becomes
 * `\u{..}`, so a value can neither move the cursor, nor hide, nor reach the start of a line.
 * Total, and escaping twice is escaping once.
 */
export function escape(text: string): string {
  if (PLAIN.test(text)) return text;
  return replaceMisleading(text, visible).replace(OLD_COMMAND, String.raw`\u{23}#[`);
}

/** Replaces each character that is not plainly visible: the one list of them, for every sink. */
export function replaceMisleading(text: string, replacement: (character: string) => string): string {
  return text.replace(MISLEADING, replacement);
}

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
