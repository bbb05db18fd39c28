import { networkOf, readAddress } from "../addresses.ts";
import {
  conditionType,
  eachIn,
  type Call,
  type Comparison,
  type Expression,
  type Index,
  type LogicalOperator,
  type SetItem,
} from "../ast.ts";
import { FUNCTIONS } from "./functions.ts";
import { patternOf } from "./pattern.ts";
import { inRanges, type Range } from "../ranges.ts";
import { containsBytes } from "./text.ts";
import { compareValues, isAddress, isArray, isMap, isNumber, type Request, type Value } from "./values.ts";
import { matchWildcard, readWildcard } from "./wildcard.ts";

type Run<T> = (request: Request) => T;
type Maybe = Value | undefined;

/** Whether a request matches an expression. To ask the same of many requests, `compile` the expression once. */
export function evaluate(expression: Expression, request: Request): boolean {
  return compile(expression)(request);
}

/** Makes a function of a condition that says whether a request matches it. It never throws. */
export function compile(expression: Expression): (request: Request) => boolean {
  return compileTruth(expression, ONE);
}

/** What a condition says of a request: one truth, or one for each element. */
interface Truths<T> {
  /** Whether a value, or each of its elements, passes a test. */
  readonly of: (value: Maybe, holds: Holds, request: Request) => T;
  readonly not: (truth: T) => T;
  readonly join: (operator: LogicalOperator, conditions: readonly Run<T>[]) => Run<T>;
}

/** A missing value passes no test. */
const ONE: Truths<boolean> = {
  of: (value, holds, request) => value !== undefined && holds(value, request),
  not: (truth) => !truth,
  join: (operator, conditions) => {
    switch (operator) {
      case "and":
        return (request) => conditions.every((condition) => condition(request));
      case "or":
        return (request) => conditions.some((condition) => condition(request));
      case "xor":
        return (request) => conditions.filter((condition) => condition(request)).length % 2 === 1;
      default:
        return operator satisfies never;
    }
  },
};

/** Conditions are joined element by element, as many as the shortest one has. */
const EACH: Truths<readonly boolean[]> = {
  of: (value, holds, request) => (isArray(value) ? value.map((element) => holds(element, request)) : []),
  not: (row) => row.map((truth) => !truth),
  join: (operator, conditions) => (request) => {
    const rows = conditions.map((condition) => condition(request));
    const length = Math.min(...rows.map((row) => row.length));
    return Array.from({ length }, (_, index) => {
      const count = rows.filter((row) => row[index]).length;
      if (operator === "and") return count === rows.length;
      return operator === "or" ? count > 0 : count % 2 === 1;
    });
  },
};

const isTrue: Holds = (value) => value === true;

function compileTruth<T>(expression: Expression, truths: Truths<T>): Run<T> {
  switch (expression.kind) {
    case "logical":
      return truths.join(
        expression.operator,
        expression.operands.map((operand) => compileTruth(operand, truths)),
      );
    case "not": {
      const truth = compileTruth(expression.operand, truths);
      return (request) => truths.not(truth(request));
    }
    case "group":
      return compileTruth(expression.inner, truths);
    case "comparison": {
      const read = compileValue(expression.left);
      const holds = compileOperator(expression);
      return (request) => truths.of(read(request), holds, request);
    }
    case "field":
    case "index":
    case "call":
    case "string":
    case "int":
    case "bool":
    case "ip": {
      const read = compileValue(expression);
      return (request) => truths.of(read(request), isTrue, request);
    }
    default:
      return expression satisfies never;
  }
}

/** Makes a function that computes the value of an expression for a request: undefined if it is missing. */
export function compileValue(expression: Expression): (request: Request) => Value | undefined {
  switch (expression.kind) {
    case "field": {
      const { name } = expression;
      return (request) => request.fields.get(name);
    }
    case "index":
      return compileIndex(expression);
    case "call":
      return compileCall(expression);
    case "string":
    case "int":
    case "bool": {
      const { value } = expression;
      return () => value;
    }
    case "ip": {
      const value = readAddress(expression.value);
      return () => value;
    }
    case "logical":
    case "not":
    case "group":
    case "comparison":
      return isRow(expression) ? compileTruth(expression, EACH) : compile(expression);
    default:
      return expression satisfies never;
  }
}

/** A part of a value. After a `[*]`, a key takes the part of each element, without those that have none. */
function compileIndex({ of, key }: Index): Run<Maybe> {
  const read = compileValue(of);
  const part = partOf(key);
  if (eachIn(of) === 0) return (request) => part(read(request));
  return (request) => {
    const elements = read(request);
    if (!isArray(elements)) return undefined;
    const parts = elements.map(part).filter((value) => value !== undefined);
    return typeof key === "object" ? parts.flat() : parts;
  };
}

function partOf(key: Index["key"]): (value: Maybe) => Maybe {
  if (typeof key === "string") return (value) => (isMap(value) ? value.get(key) : undefined);
  if (typeof key === "number") return (value) => (isArray(value) ? value[key] : undefined);
  return (value) => (isMap(value) ? [...value.values()] : isArray(value) ? value : undefined);
}

/** A call. With `[*]` in its first argument, the function is called for each element, and missing results are left out. */
function compileCall({ name, arguments: written }: Call): Run<Maybe> {
  const [first, ...others] = written;
  if (first === undefined) return () => undefined;
  if (name === "any" || name === "all") return compileQuantifier(name, first);
  const implementation = FUNCTIONS.get(name);
  if (implementation === undefined) return () => undefined;
  const readFirst = compileValue(first);
  const readOthers = others.map(compileValue);
  const call = (value: Maybe, request: Request): Maybe => {
    return implementation(value, ...readOthers.map((read) => read(request)));
  };
  if (eachIn(first) === 0) return (request) => call(readFirst(request), request);
  return (request) => {
    const elements = readFirst(request);
    if (!isArray(elements)) return undefined;
    return elements.map((element) => call(element, request)).filter((value) => value !== undefined);
  };
}

/** `any` and `all`. Of a missing array neither holds; but a comparison over a missing array is one without elements. */
function compileQuantifier(name: "any" | "all", condition: Expression): Run<boolean> {
  const read = compileValue(condition);
  return (request) => {
    const truths = read(request);
    if (!isArray(truths)) return false;
    return name === "any" ? truths.includes(true) : truths.every((truth) => truth === true);
  };
}

/** Whether a condition has a truth for each element instead of one. */
function isRow(condition: Expression): boolean {
  return typeof conditionType(condition) === "object";
}

type Holds = (value: Value, request: Request) => boolean;

/** Makes a test of a value out of an operator and what is on its right. */
function compileOperator({ operator, right }: Comparison): Holds {
  switch (operator) {
    case "eq":
    case "ne":
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return compileOrder(operator, right);
    case "in":
      return compileIn(right);
    case "bitwise_and": {
      const mask = right.kind === "int" ? right.value : 0n;
      return (value) => isNumber(value) && (BigInt(value) & mask) !== 0n;
    }
    case "contains": {
      const part = textOf(right);
      return (value) => typeof value === "string" && containsBytes(value, part);
    }
    case "matches": {
      const pattern = textOf(right);
      return (value) => typeof value === "string" && patternOf(pattern)?.matches(value) === true;
    }
    case "wildcard":
    case "strict wildcard": {
      const wildcard = readWildcard(textOf(right), operator === "strict wildcard");
      return (value) => typeof value === "string" && matchWildcard(wildcard, value) !== undefined;
    }
    default:
      return operator satisfies never;
  }
}

const ORDERS = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  lt: (order) => order !== undefined && order < 0,
  le: (order) => order !== undefined && order <= 0,
  gt: (order) => order !== undefined && order > 0,
  ge: (order) => order !== undefined && order >= 0,
} as const satisfies Record<string, (order: number | undefined) => boolean>;

/** With a missing value on the right the comparison is false too. */
function compileOrder(operator: keyof typeof ORDERS, right: Comparison["right"]): Holds {
  if (right.kind === "set" || right.kind === "list") return () => false;
  const holds = ORDERS[operator];
  if (right.kind === "string" && operator === "eq") return (value) => value === right.value;
  const read = compileValue(right);
  return (value, request) => {
    const other = read(request);
    return other !== undefined && holds(compareValues(value, other));
  };
}

function textOf(right: Comparison["right"]): string {
  return right.kind === "string" ? right.value : "";
}

function compileIn(right: Comparison["right"]): Holds {
  if (right.kind === "list") return (value, request) => request.isInList?.(right.name, value) === true;
  if (right.kind !== "set") return () => false;
  const texts = new Set(right.items.map((item) => (item.kind === "string" ? item.value : undefined)));
  const ranges = right.items.map(rangeOf).filter((range) => range !== undefined);
  const isIn = {
    0: inRanges(ranges.filter(({ bits }) => bits === 0).map(({ span }) => span)),
    32: inRanges(ranges.filter(({ bits }) => bits === 32).map(({ span }) => span)),
    128: inRanges(ranges.filter(({ bits }) => bits === 128).map(({ span }) => span)),
  };
  return (value) => {
    if (typeof value === "string") return texts.has(value);
    if (isNumber(value)) return isIn[0](value);
    return isAddress(value) && isIn[value.bits](value.value);
  };
}

/** The numbers of an item, or its addresses of 32 or 128 bits. */
function rangeOf(item: SetItem): { bits: 0 | 32 | 128; span: Range } | undefined {
  if (item.kind === "int") return { bits: 0, span: [item.value, item.value] };
  if (item.kind === "range") {
    const from = rangeOf(item.from);
    const to = rangeOf(item.to);
    return from && to && from.bits === to.bits ? { bits: from.bits, span: [from.span[0], to.span[1]] } : undefined;
  }
  if (item.kind !== "ip" && item.kind !== "network") return undefined;
  const address = readAddress(item.kind === "ip" ? item.value : item.address);
  if (address === undefined) return undefined;
  return { bits: address.bits, span: networkOf(address, item.kind === "ip" ? address.bits : item.bits) };
}
