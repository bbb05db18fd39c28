import { toUSVString } from "node:util";
import { bytesAsUnits, textOfUnits } from "./text.ts";

/**
 * A text in which codes such as `%20` and `+` are characters. What is no code stays. `u` also decodes `%uXXXX`; `r` decodes until nothing
 * changes.
 */
export function decodeUrl(text: string, options = ""): string {
  const codes = options.includes("u") ? /\+|%[0-9A-Fa-f]{2}|%u[0-9A-Fa-f]{4}/g : /\+|%[0-9A-Fa-f]{2}/g;
  const decoded = bytesAsUnits(text).replaceAll(codes, (code) => {
    if (code === "+") return " ";
    if (code.startsWith("%u"))
      return bytesAsUnits(toUSVString(String.fromCharCode(Number.parseInt(code.slice(2), 16))));
    return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  });
  const written = textOfUnits(decoded);
  return options.includes("r") && written !== text ? decodeUrl(written, options) : written;
}
