import { readAddress } from "./addresses.ts";
import type {
  AddressLiteral,
  Literal,
  LiteralSet,
  NamedList,
  Network,
  NumberLiteral,
  Range,
  SetItem,
  Span,
  TextLiteral,
} from "./ast.ts";
import { NAME, type Scanner, STRING_START } from "./scanner.ts";
import { type Escaping, readString } from "./strings.ts";
import { textOfBytes } from "./utf8.ts";

/** The types that have literals. */
export type LiteralType = "string" | "int" | "ip";

/** What a text looks like, whatever is expected there. */
export type Look = LiteralType | "bool" | "set" | "list" | "name" | "nothing";

/** Says what kind of literal, or what else, comes next. */
export function look(scanner: Scanner): Look {
  if (scanner.peek(STRING_START) !== "") return "string";
  if (scanner.sees("{")) return "set";
  if (scanner.sees("$")) return "list";
  const address = scanner.peek(ADDRESS);
  if (address.includes(":") || /^[0-9]+\.[0-9]/.test(address)) return "ip";
  if (scanner.peek(NUMBER_START) !== "") return "int";
  const name = scanner.peek(NAME);
  if (name === "true" || name === "false") return "bool";
  return name === "" ? "nothing" : "name";
}

/** Reads a literal of a type. Reports what is wrong with it, and returns undefined then. */
export function readLiteral(scanner: Scanner, type: LiteralType): Literal | undefined {
  if (type === "string") return readText(scanner);
  return type === "int" ? readNumber(scanner) : readAddressLiteral(scanner);
}

/** Reads a string, a regular expression in quotes with its own escapes. */
export function readText(scanner: Scanner, escaping: Escaping = "basic"): TextLiteral | undefined {
  const begin = scanner.at;
  if (scanner.peek(STRING_START) === "" && escaping === "basic") return readBytes(scanner);
  const read = readString(scanner, escaping);
  if (read === undefined) return undefined;
  const { value, hashes } = read;
  return {
    kind: "string",
    type: "string",
    span: scanner.since(begin),
    value,
    ...(hashes === undefined ? {} : { hashes }),
  };
}

const BYTES = /[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2})+/y;

/** A string as its bytes: `61:62:63`. It is not in the documentation, but the service's parser knows it. */
function readBytes(scanner: Scanner): TextLiteral | undefined {
  const begin = scanner.at;
  const written = scanner.peek(BYTES);
  scanner.at += written.length;
  if (written === "") {
    scanner.report("syntax", scanner.spanOfWord(), "a string is expected here", 'write it in quotes: "…"');
    return undefined;
  }
  const bytes = Uint8Array.from(written.split(":"), (digits) => Number.parseInt(digits, 16));
  return { kind: "string", type: "string", span: scanner.since(begin), value: textOfBytes(bytes) };
}

const NUMBER_START = /-?[0-9]/y;
const NUMBER = /0x[0-9A-Fa-f]*|-?[0-9A-Fa-f]+/y;
const MAX_NUMBER = 2n ** 63n - 1n;

/** Reads a whole number: decimal, hexadecimal after `0x`, and octal after `0`. */
export function readNumber(scanner: Scanner): NumberLiteral | undefined {
  const begin = scanner.at;
  const written = scanner.peek(NUMBER);
  if (written === "") {
    scanner.report("syntax", scanner.spanOfWord(), "a whole number is expected here");
    return undefined;
  }
  scanner.at += written.length;
  const span = scanner.since(begin);
  const value = numberOf(written);
  if (value === undefined) {
    const isOctal = /^0[0-9]/.test(written);
    const message = isOctal
      ? `${written} begins with 0, which makes it an octal number, and 8 and 9 are no octal digits`
      : `${written} is no whole number`;
    scanner.report("syntax", span, message, isOctal ? "write the number without the 0" : undefined);
    return undefined;
  }
  if (value > MAX_NUMBER || value < -MAX_NUMBER - 1n) {
    scanner.report("syntax", span, `${written} does not fit in 64 bits`);
    return undefined;
  }
  return { kind: "int", type: "int", span, value };
}

function numberOf(written: string): bigint | undefined {
  if (/^0x[0-9A-Fa-f]+$/.test(written)) return BigInt(written);
  if (/^0[0-7]+$/.test(written)) return BigInt(`0o${written}`);
  if (!/^(?:0|-[0-9]+|[1-9][0-9]*)$/.test(written)) return undefined;
  return BigInt(written);
}

const ADDRESS = /[0-9A-Fa-f:./]+/y;

/** Reads one IP address. */
function readAddressLiteral(scanner: Scanner): AddressLiteral | undefined {
  const begin = scanner.at;
  const written = scanner.peek(ADDRESS);
  if (written === "") {
    scanner.report("syntax", scanner.spanOfWord(), "an IP address is expected here");
    return undefined;
  }
  scanner.at += written.length;
  if (readAddress(written) !== undefined) return address(written, begin);
  const isNetwork = written.includes("/") || written.includes("..");
  const message = isNetwork
    ? `${written} is more than one address, and only in compares with more than one`
    : notAnAddress(written);
  scanner.report("syntax", scanner.since(begin), message, isNetwork ? `write in {${written}}` : undefined);
  return undefined;
}

function address(value: string, start: number): AddressLiteral {
  return { kind: "ip", type: "ip", span: { start, end: start + value.length }, value };
}

function notAnAddress(written: string): string {
  const hasZero = /(?:^|[.:])0[0-9]/.test(written) && !written.includes(":");
  return `${written} is no IP address${hasZero ? ": a number in it begins with 0" : ""}`;
}

/** What no set has, so that one without an end ends in front of it. */
const BEHIND_SET = /[()]|(?:and|or|xor)(?![A-Za-z0-9_.:])|&&|\|\||\^\^/y;

/** Reads `{…}` with literals of a type, or of any type if that is unknown. */
export function readSet(scanner: Scanner, type: LiteralType | "unknown"): LiteralSet | undefined {
  const begin = scanner.at;
  scanner.at += 1;
  const items: SetItem[] = [];
  let isGood = true;
  let hasComma = false;
  for (;;) {
    scanner.skipSpace();
    if (scanner.take("}")) break;
    if (scanner.isCutShort) return undefined;
    if (scanner.isAtEnd || scanner.peek(BEHIND_SET) !== "") {
      const span = { start: begin, end: begin + 1 };
      scanner.report("syntax", span, "this set is never closed", "close it with a }");
      return undefined;
    }
    if (scanner.sees(",")) {
      const span = { start: scanner.at, end: scanner.at + 1 };
      if (!hasComma) scanner.report("syntax", span, "a set has no commas", "separate the values by blanks");
      hasComma = true;
      scanner.at += 1;
      continue;
    }
    const item = readItem(scanner, type);
    if (item !== undefined) items.push(item);
    else isGood = false;
  }
  return isGood && !hasComma
    ? { kind: "set", type: items[0]?.type ?? type, span: scanner.since(begin), items }
    : undefined;
}

function readItem(scanner: Scanner, type: LiteralType | "unknown"): SetItem | undefined {
  const seen = look(scanner);
  const isBytes = type === "string" && scanner.peek(BYTES) !== "";
  const isShortNetwork = type === "ip" && /^[0-9]/.test(scanner.peek(ADDRESS));
  if (type !== "unknown" && seen !== type && !isBytes && !isShortNetwork) {
    const span = scanner.spanOfWord();
    scanner.at = span.end;
    const remedy = type === "string" && seen !== "nothing" ? "write it in quotes" : undefined;
    scanner.report("type", span, `this set holds ${PLURAL[type]}, and ${scanner.textOf({ span })} is none`, remedy);
    return undefined;
  }
  const kind = type === "unknown" ? seen : type;
  if (kind === "int") return readNumberItem(scanner);
  if (kind === "ip") return readAddressItem(scanner);
  if (kind === "string") return readText(scanner);
  const span = scanner.spanOfWord();
  scanner.at = span.end;
  scanner.report("syntax", span, `a set holds literals, and ${scanner.textOf({ span })} is none`);
  return undefined;
}

const PLURAL = { string: "strings", int: "whole numbers", ip: "IP addresses" } as const;

function readNumberItem(scanner: Scanner): NumberLiteral | Range | undefined {
  const begin = scanner.at;
  const from = readNumber(scanner);
  if (from === undefined) {
    // The other end of a range would only be wrong for the same reason.
    if (scanner.take("..")) scanner.at += scanner.peek(NUMBER).length;
    return undefined;
  }
  if (!scanner.take("..")) return from;
  const to = readNumber(scanner);
  if (to === undefined) return undefined;
  const span = scanner.since(begin);
  if (to.value < from.value) return reportEmptyRange(scanner, span);
  return { kind: "range", type: "int", span, from, to };
}

function reportEmptyRange(scanner: Scanner, span: Span): undefined {
  const written = scanner.textOf({ span });
  scanner.report("syntax", span, `nothing is in the range ${written}: it ends before it begins`, "swap its ends");
}

function readAddressItem(scanner: Scanner): AddressLiteral | Range | Network | undefined {
  const begin = scanner.at;
  const written = scanner.peek(ADDRESS);
  scanner.at += written.length;
  const span = scanner.since(begin);
  const dots = written.indexOf("..");
  if (dots !== -1) return readAddressRange(scanner, span, written.slice(0, dots), written.slice(dots + 2));
  const slash = written.lastIndexOf("/");
  if (slash !== -1) return readNetwork(scanner, span, written.slice(0, slash), written.slice(slash + 1));
  if (readAddress(written) !== undefined) return address(written, begin);
  scanner.report("syntax", span, notAnAddress(written));
  return undefined;
}

function readAddressRange(scanner: Scanner, span: Span, first: string, last: string): Range | undefined {
  const from = readAddress(first);
  const to = readAddress(last);
  if (from === undefined || to === undefined) {
    scanner.report("syntax", span, notAnAddress(from === undefined ? first : last));
    return undefined;
  }
  if (from.bits !== to.bits) {
    scanner.report(
      "syntax",
      span,
      "a range cannot begin with an IPv4 address and end with an IPv6 address, or the reverse",
    );
    return undefined;
  }
  if (to.value < from.value) return reportEmptyRange(scanner, span);
  const end = address(last, span.end - last.length);
  return { kind: "range", type: "ip", span, from: address(first, span.start), to: end };
}

function readNetwork(scanner: Scanner, span: Span, written: string, length: string): Network | undefined {
  // `10/8` is short for `10.0.0.0/8`.
  const isShort = /^[0-9]+(?:\.[0-9]+){0,2}$/.test(written);
  const base = isShort ? [...written.split("."), "0", "0", "0"].slice(0, 4).join(".") : written;
  const found = readAddress(base);
  if (found === undefined) {
    scanner.report("syntax", span, notAnAddress(written));
    return undefined;
  }
  const bits = /^[0-9]+$/.test(length) ? Number(length) : Number.NaN;
  if (!(bits <= found.bits)) {
    const version = found.bits === 32 ? "IPv4" : "IPv6";
    scanner.report("syntax", span, `the length of an ${version} network is from 0 to ${found.bits}, not "${length}"`);
    return undefined;
  }
  const host = BigInt(found.bits - bits);
  if ((found.value >> host) << host !== found.value) {
    const remedy = "clear the bits of the address behind the length, or lengthen it";
    scanner.report(
      "syntax",
      span,
      `${written} is no address of a network of ${bits} bits: it has bits behind them`,
      remedy,
    );
    return undefined;
  }
  return { kind: "network", type: "ip", span, address: base, bits };
}

const LIST_NAME = /\$[A-Za-z0-9_.-]*/y;

/** Reads `$name`. */
export function readList(scanner: Scanner, type: LiteralType | "unknown"): NamedList | undefined {
  const begin = scanner.at;
  const written = scanner.peek(LIST_NAME);
  scanner.at += written.length;
  const name = written.slice(1);
  if (!/^[a-z0-9_](?:[a-z0-9_.]*[a-z0-9_])?$/.test(name)) {
    const remedy = "a list's name has lower-case letters, digits and underscores";
    scanner.report("syntax", scanner.since(begin), `${written} is no name of a list`, remedy);
    return undefined;
  }
  return { kind: "list", type, span: scanner.since(begin), name };
}
