/**
 * Characters that could mislead a terminal, a CI log or a reader: control characters (C0, C1 and so ESC, CSI, OSC, CR,
 * BS, newline), format characters and everything that is displayed as nothing (BiDi, zero-width, soft hyphen, tags,
 * selectors), lone surrogates, line and paragraph separators, and every space but the plain one.
 */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** A text without any such character, like most lines. */
const PLAIN = /^[ -"$-~]*$/;

/** The old form of a CI command, which a runner recognises anywhere in a line. */
const OLD_COMMAND = /##\[/g;

/**
 * Makes a text safe for one line of a terminal or a CI log: every character that is not plainly visible becomes
 * `\u{..}`, so a value can neither move the cursor, nor hide, nor reach the start of a line. Total, and escaping twice
 * is escaping once.
 */
export function escape(text: string): string {
  if (PLAIN.test(text)) return text;
  return replaceMisleading(text, visible).replace(OLD_COMMAND, String.raw`\u{23}#[`);
}

/** Replaces each character that is not plainly visible. This is the one list of them, for every output. */
export function replaceMisleading(text: string, replacement: (character: string) => string): string {
  return text.replace(MISLEADING, replacement);
}

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A CI command, which a runner recognises after any white space at the start of a line. */
const COMMAND = /^(\s*)::/;

/** Keeps an escaped line from being read as a CI command. `escape` has already broken up the old form, `##[`. */
export function neverCommand(line: string): string {
  return line.replace(COMMAND, String.raw`$1\u{3a}:`);
}

/**
 * A text as the message of a workflow command, where `%`, CR and LF are written as `%25`, `%0D` and `%0A`. CR and LF
 * are made visible first, so nothing of them can be decoded.
 */
export function commandMessage(text: string): string {
  return neverCommand(escape(text)).replaceAll("%", "%25");
}

/** A text as a property of a workflow command, where `:` and `,` are also written as `%3A` and `%2C`. */
export function commandProperty(text: string): string {
  return escape(text).replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll(",", "%2C");
}
