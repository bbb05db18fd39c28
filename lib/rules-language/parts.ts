import type { Index, Value } from "./ast.ts";
import { look, readNumber, readText } from "./literals.ts";
import type { Scanner } from "./scanner.ts";
import { aType, type Type } from "./types.ts";
import { closeBracket } from "./unexpected.ts";
import { isText } from "./utf8.ts";

/** Reads which part of a value is meant: `["key"]`, `[0]`, or `[*]` for each. */
export function readPart(scanner: Scanner, of: Value): Index | undefined {
  const begin = scanner.at;
  scanner.at += 1;
  scanner.skipSpace();
  const key = readKey(scanner);
  if (key === undefined || !closeBracket(scanner, begin)) return undefined;
  const type = typeOfPart(scanner, of, key, begin);
  return type === undefined ? undefined : { kind: "index", type, span: scanner.since(of.span.start), of, key };
}

function readKey(scanner: Scanner): Index["key"] | undefined {
  if (scanner.take("*")) return { each: true };
  const begin = scanner.at;
  if (scanner.sees('"')) {
    const value = readText(scanner)?.value;
    if (value === undefined || isText(value)) return value;
    scanner.report("syntax", scanner.since(begin), "a key has to be valid UTF-8");
    return undefined;
  }
  if (look(scanner) === "int") {
    const value = readNumber(scanner)?.value;
    if (value === undefined) return undefined;
    if (value >= 0n && value < 2n ** 32n) return Number(value);
  } else scanner.at = scanner.spanOfWord().end;
  const message = "between [ and ] stands a key in quotes, the number of an element, or *";
  scanner.report("syntax", scanner.since(begin), message);
  return undefined;
}

function typeOfPart(scanner: Scanner, of: Value, key: Index["key"], begin: number): Type | undefined {
  const { type } = of;
  if (type === "unknown") return type;
  if (typeof type === "object") {
    if ("map" in type && typeof key !== "number") return type.map;
    if ("array" in type && typeof key !== "string") return type.array;
  }
  const what = typeof key === "string" ? "keys" : "elements";
  const message = `${scanner.textOf(of)} is ${aType(type)}, which has no ${what}`;
  scanner.report("type", scanner.since(begin), message, remedyFor(type));
  return undefined;
}

function remedyFor(type: Type): string | undefined {
  if (typeof type === "string") return undefined;
  return "map" in type ? 'write the key in quotes: ["…"]' : "write a number, or [*] for each element";
}
