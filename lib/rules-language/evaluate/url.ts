import { toUSVString } from "node:util";
import { bytesAsUnits, textOfUnits } from "./text.ts";

/** How often a text is decoded with the option `r`, so that one that was made for it takes no minutes. */
const MOST_PASSES = 100;

/**
 * A text in which codes such as `%20` and `+` are characters. What is no code stays. The option `u` also decodes `%uXXXX`; `r`
 * decodes until nothing changes.
 */
export function decodeUrl(text: string, options = ""): string {
  let decoded = text;
  for (let pass = 0; pass < (options.includes("r") ? MOST_PASSES : 1); pass += 1) {
    const before = decoded;
    decoded = decodeOnce(before, options.includes("u"));
    if (decoded === before) break;
  }
  return decoded;
}

function decodeOnce(text: string, isUnicode: boolean): string {
  const codes = isUnicode ? /\+|%[0-9A-Fa-f]{2}|%u[0-9A-Fa-f]{4}/g : /\+|%[0-9A-Fa-f]{2}/g;
  const decoded = bytesAsUnits(text).replaceAll(codes, (code) => {
    if (code === "+") return " ";
    if (code.startsWith("%u"))
      return bytesAsUnits(toUSVString(String.fromCharCode(Number.parseInt(code.slice(2), 16))));
    return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  });
  return textOfUnits(decoded);
}
