import { eachIn, type Call, type Expression, type Span } from "./ast.ts";
import { findFunction } from "./names.ts";
import type { Grammar } from "./grammar.ts";
import { checkRegex, checkWildcard } from "./patterns.ts";
import { isInPhase } from "./tables/phases.ts";
import type { FunctionEntry, Parameter } from "./tables/shape.ts";
import { aType, fits, type Type } from "./types.ts";

/** Reads a call from behind the function's name on, and checks its arguments. */
export function readCall(parser: Grammar, name: string, span: Span): Call | undefined {
  const { scanner } = parser;
  const entry = findFunction(scanner, span, name, parser.options);
  scanner.skipSpace();
  const values = parser.readArguments();
  if (values === undefined) return undefined;
  const whole = scanner.since(span.start);
  if (entry !== undefined) {
    checkUse(parser, name, entry, span);
    if (!checkArguments(parser, name, entry, values, whole)) return undefined;
  }
  return { kind: "call", type: typeOfCall(entry, values), span: whole, name, arguments: values };
}

/** With `[*]` in its first argument a function is called for each element, and the results are an array. */
function typeOfCall(entry: FunctionEntry | undefined, values: readonly Expression[]): Type {
  const [first] = values;
  const returned = entry?.returns === "same" ? first?.type : entry?.returns;
  const type = returned ?? "unknown";
  return first !== undefined && eachIn(first) > 0 ? { array: type } : type;
}

/** Where a function may be called. */
function checkUse(parser: Grammar, name: string, entry: FunctionEntry, span: Span): void {
  const { scanner } = parser;
  const { phase } = parser.options;
  if (entry.isForValues === true && parser.isRule && (phase === undefined || isInPhase(entry, phase))) {
    const message = `${name}() is only available in expressions that compute a value, such as the target of a redirect`;
    scanner.warn("not-in-phase", span, message);
  }
  if (entry.isOnce !== true) return;
  parser.once.push(name);
  const [first] = parser.once;
  if (parser.once.length < 2 || first === undefined) return;
  const others = first === name ? `${name}() only once` : `only one of ${first}() and ${name}()`;
  scanner.report("syntax", span, `an expression may call ${others}`);
}

function checkArguments(
  parser: Grammar,
  name: string,
  entry: FunctionEntry,
  values: readonly Expression[],
  span: Span,
): boolean {
  const { parameters } = entry;
  const least = parameters.filter(({ isOptional }) => isOptional !== true).length;
  const most = entry.isVariadic === true ? (entry.atMost ?? Number.POSITIVE_INFINITY) : parameters.length;
  if (values.length < least || values.length > most) {
    const message = `${name}() has ${counted(values.length)}, and needs ${numberNeeded(least, most)}`;
    const names = parameters.map(({ name: of, isOptional }) => (isOptional === true ? `${of ?? "…"}?` : (of ?? "…")));
    const more = entry.isVariadic === true ? ", …" : "";
    parser.scanner.report("type", span, message, `write ${name}(${names.join(", ")}${more})`);
    return false;
  }
  const good = values.map((value, index) => {
    const parameter = parameters[Math.min(index, parameters.length - 1)];
    return parameter === undefined || checkArgument(parser, name, parameter, value, index);
  });
  return good.every(Boolean) && (entry.returns !== "same" || areAlike(parser, name, values));
}

function counted(count: number): string {
  if (count === 0) return "no argument";
  return count === 1 ? "1 argument" : `${count} arguments`;
}

function numberNeeded(least: number, most: number): string {
  if (least === most) return String(least);
  return most === Number.POSITIVE_INFINITY ? `at least ${least}` : `from ${least} to ${most}`;
}

function areAlike(parser: Grammar, name: string, values: readonly Expression[]): boolean {
  const [first] = values;
  const other = values.find(({ type }) => first !== undefined && !fits(type, first.type));
  if (first === undefined || other === undefined) return true;
  const message = `the arguments of ${name}() have the same type, and this is ${aType(other.type)}, not ${aType(first.type)}`;
  parser.scanner.report("type", other.span, message);
  return false;
}

function checkArgument(parser: Grammar, name: string, parameter: Parameter, value: Expression, index: number): boolean {
  const { scanner } = parser;
  const isLiteral = value.kind === "string" || value.kind === "int" || value.kind === "bool" || value.kind === "ip";
  const which = parameter.name === undefined ? `argument ${index + 1} of ${name}()` : `${parameter.name} of ${name}()`;
  if (eachIn(value) > 0 && index > 0) {
    scanner.report(
      "type",
      value.span,
      `[*] only stands in the first argument of a function, and this is argument ${index + 1}`,
    );
    return false;
  }
  if (!parameter.types.some((type) => fits(value.type, type))) {
    const types = parameter.types.map((type) => aType(type)).join(" or ");
    const remedy = eachIn(value) > 0 && value.type === "bool" ? "take the last [*] away" : undefined;
    scanner.report("type", value.span, `${which} is ${types}, and this is ${aType(value.type)}`, remedy);
    return false;
  }
  if (parameter.only === "value" && isLiteral) {
    scanner.report("type", value.span, `${which} has to be a field or a call, not a literal`);
    return false;
  }
  if (parameter.only === "literal" && !isLiteral) {
    scanner.report("type", value.span, `${which} has to be a literal`);
    return false;
  }
  return checkLiteral(parser, which, parameter, value);
}

function checkLiteral(parser: Grammar, which: string, { is, range }: Parameter, value: Expression): boolean {
  const { scanner } = parser;
  if (value.kind === "int" && range !== undefined && (value.value < range[0] || value.value > range[1])) {
    scanner.report("type", value.span, `${which} is a number from ${range[0]} to ${range[1]}`);
    return false;
  }
  if (value.kind !== "string" || is === undefined) return true;
  if (is === "regex") return checkRegex(scanner, value);
  if (is === "wildcard") return checkWildcard(scanner, value);
  if (value.value !== "") return true;
  scanner.report("type", value.span, `${which} may not be empty`);
  return false;
}
