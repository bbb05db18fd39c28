// A second implementation of what expressions mean: slow, and with other algorithms than lib/rules-language/evaluate. Strings are
// bytes, addresses are texts of bits, wildcards are tried place by place, and regular expressions are JavaScript's.
import type { Comparison, Expression, SetItem } from "../../lib/rules-language/ast.ts";
import type { Request, Value } from "../../lib/rules-language/evaluate/values.ts";
import { bytesOfText, textOfBytes } from "../../lib/rules-language/utf8.ts";

/** Whether a request matches an expression. */
export function evaluateAgain(expression: Expression, request: Request): boolean {
  return truths(expression, request)[0] === true;
}

/** The truth for each element, or the only one. */
function truths(expression: Expression, request: Request): readonly boolean[] {
  if (expression.kind === "group") return truths(expression.inner, request);
  if (expression.kind === "not") return truths(expression.operand, request).map((truth) => !truth);
  if (expression.kind === "logical") {
    const { operator, operands } = expression;
    const join = (left: boolean, right: boolean) =>
      ({ and: left && right, or: left || right, xor: left !== right })[operator];
    const rows = operands.map((operand) => truths(operand, request));
    return rows.reduce((left, right) =>
      left.slice(0, right.length).map((truth, at) => join(truth, right[at] === true)),
    );
  }
  const isComparison = expression.kind === "comparison";
  const { found, isEach } = find(isComparison ? expression.left : expression, request);
  const isTrue = (value: unknown) => (isComparison ? compare(value, expression, request) : value === true);
  return isEach || typeof expression.type === "object"
    ? found.flat().map(isTrue)
    : [found.length > 0 && isTrue(found[0])];
}

/** What a value is: nothing, one thing, or one for each element. `isGone`: it is missing, and no empty array. */
interface Found {
  readonly found: readonly unknown[];
  readonly isEach: boolean;
  readonly isGone: boolean;
}

function find(value: Expression, request: Request): Found {
  if (value.kind === "field") return one(request.fields.get(value.name));
  if (value.kind === "call") return one(call(value.name, value.arguments, request));
  if (value.kind === "ip") return one({ row: rowOf(value.value) });
  if (value.kind !== "index") return one("value" in value ? value.value : truths(value, request));
  const { key } = value;
  const of = find(value.of, request);
  const parts = of.found.flatMap((whole): unknown[] => {
    if (!(whole instanceof Map || Array.isArray(whole))) return [];
    return [...whole.entries()].filter(([name]) => typeof key === "object" || name === key).map(([, part]) => part);
  });
  return typeof key === "object" || of.isEach ? { found: parts, isEach: true, isGone: of.isGone } : one(parts[0]);
}

function one(value: unknown): Found {
  return { found: value === undefined ? [] : [value], isEach: false, isGone: value === undefined };
}

function call(name: string, written: readonly Expression[], request: Request): unknown {
  const [first, ...others] = written.map((argument) => find(argument, request));
  if (first === undefined) return undefined;
  const rest = others.map(({ found }) => found[0]);
  if (name === "any" || name === "all") {
    const row = first.found[0];
    return Array.isArray(row) && (name === "any" ? row.includes(true) : !row.includes(false));
  }
  if (!first.isEach) return compute(name, [first.found[0], ...rest]);
  return first.isGone
    ? undefined
    : first.found.map((value) => compute(name, [value, ...rest])).filter((one) => one !== undefined);
}

function compute(name: string, values: readonly unknown[]): unknown {
  if (name === "concat") return values.every((one) => one === undefined) ? undefined : values.filter(Boolean).join("");
  if (name === "coalesce") return values.find((one) => one !== undefined);
  if (values.includes(undefined)) return undefined;
  const [text, second, third] = values;
  if (name === "len" && Array.isArray(text)) return text.length;
  if (typeof text !== "string") return undefined;
  const bytes = bytesOf(text);
  if (name === "len") return bytes.length;
  if (name === "lower") return textOfBytes(bytes.map((byte) => (byte > 64 && byte < 91 ? byte + 32 : byte)));
  if (name === "upper") return textOfBytes(bytes.map((byte) => (byte > 96 && byte < 123 ? byte - 32 : byte)));
  const part = bytesOf(textOf(second));
  if (name === "starts_with") return bytes.subarray(0, part.length).equals(part);
  if (name === "ends_with")
    return bytes.length >= part.length && bytes.subarray(bytes.length - part.length).equals(part);
  if (name === "substring")
    return textOfBytes(bytes.subarray(Number(second), third === undefined ? undefined : Number(third)));
  throw new Error(name);
}

function compare(value: unknown, { operator, right }: Comparison, request: Request): boolean {
  if (right.kind === "list") return request.isInList?.(right.name, value as Value) === true;
  if (right.kind === "set") return right.items.some((item) => isIn(value, item));
  const other = find(right, request).found[0];
  if (other === undefined) return false;
  if (operator === "bitwise_and") return (numberOf(value) & numberOf(other)) !== 0n;
  const [text, pattern] = [textOf(value), textOf(other)];
  if (operator === "contains") return bytesOf(text).includes(bytesOf(pattern));
  if (operator === "matches") return new RegExp(pattern).test(text);
  if (operator === "wildcard") return isLike(pattern.toLowerCase(), text.toLowerCase());
  if (operator === "strict wildcard") return isLike(pattern, text);
  const order = orderOf(value, other);
  if (operator === "ne") return order !== 0;
  const orders: readonly number[] = { eq: [0], lt: [-1], le: [-1, 0], gt: [1], ge: [0, 1], in: [] }[operator];
  return orders.includes(order);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): bigint {
  return typeof value === "bigint" || typeof value === "number" ? BigInt(value) : 0n;
}

function bytesOf(text: string): Buffer {
  return Buffer.from(bytesOfText(text));
}

/** -1, 0 or 1; NaN for addresses of different versions. */
function orderOf(left: unknown, right: unknown): number {
  if (typeof left === "string") return Buffer.compare(bytesOf(left), bytesOf(textOf(right)));
  const [one, other] = [rowOf(left), rowOf(right)];
  if (one === undefined || other === undefined) return Math.sign(Number(left) - Number(right));
  return one.length === other.length ? Number(one > other) - Number(one < other) : NaN;
}

function isIn(value: unknown, item: SetItem): boolean {
  if (item.kind === "network") {
    const [row = "", network = ""] = [rowOf(value), rowOf(item.address)];
    return row.length === network.length && row.startsWith(network.slice(0, item.bits));
  }
  const ends = item.kind === "range" ? [item.from, item.to] : [item, item];
  const [from, to] = ends.map((end) => (end.kind === "ip" ? { row: rowOf(end.value) } : end.value));
  return orderOf(value, from) >= 0 && orderOf(value, to) <= 0;
}

/** The bits of an address as a text of zeros and ones. */
function rowOf(address: unknown): string | undefined {
  if (typeof address === "object" && address !== null && "row" in address) return String(address.row);
  if (typeof address === "object" && address !== null && "bits" in address && "value" in address) {
    return BigInt(String(address.value)).toString(2).padStart(Number(address.bits), "0");
  }
  if (typeof address !== "string") return undefined;
  if (!address.includes(":"))
    return address
      .split(".")
      .map((octet) => Number(octet).toString(2).padStart(8, "0"))
      .join("");
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16).toString(2).padStart(16, "0")).join("");
}

/** Whether a text is like a wildcard without escapes. */
function isLike(pattern: string, text: string): boolean {
  if (!pattern.startsWith("*")) {
    return pattern === "" ? text === "" : text.startsWith(pattern.charAt(0)) && isLike(pattern.slice(1), text.slice(1));
  }
  return Array.from({ length: text.length + 1 }, (_, at) => at).some((at) => isLike(pattern.slice(1), text.slice(at)));
}
