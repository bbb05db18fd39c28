/** A value of an expression of a workflow. */
export type Value = string | number | boolean | null;

/** What an expression can name: the value at a path such as `steps.plan.outputs.code`. Throws for what there is not. */
export type Lookup = (path: readonly string[]) => Value;

/** How the job stands, for the functions of conditions. */
export interface Standing {
  readonly hasFailed: boolean;
  readonly isCancelled: boolean;
}

const TOKEN =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<mark>==|!=|&&|\|\||[!()])|(?<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*))/y;

const FUNCTIONS: Readonly<Record<string, (standing: Standing) => boolean>> = {
  always: () => true,
  cancelled: ({ isCancelled }) => isCancelled,
  failure: ({ hasFailed }) => hasFailed,
  success: ({ hasFailed, isCancelled }) => !hasFailed && !isCancelled,
};

/**
 * The value of an expression, for the part of the language that the examples use: texts, paths, `==`, `!=`, `&&`, `||`,
 * `!`, brackets, and the functions of conditions. Throws for anything else, so that nothing is guessed.
 */
export function evaluate(source: string, lookup: Lookup, standing: Standing): Value {
  const tokens = tokensOf(source);
  let at = 0;

  const next = (): string => {
    const token = tokens[at];
    if (token === undefined) throw new Error(`${source}: it ends too early`);
    at += 1;
    return token;
  };
  const takes = (mark: string): boolean => {
    const isThere = tokens[at] === mark;
    if (isThere) at += 1;
    return isThere;
  };
  const either = (): Value => {
    let value = both();
    while (takes("||")) {
      const other = both();
      value = isTrue(value) ? value : other;
    }
    return value;
  };
  const both = (): Value => {
    let value = compared();
    while (takes("&&")) {
      const other = compared();
      value = isTrue(value) ? other : value;
    }
    return value;
  };
  const compared = (): Value => {
    const left = single();
    if (takes("==")) return isSame(left, single());
    if (takes("!=")) return !isSame(left, single());
    return left;
  };
  const single = (): Value => {
    if (takes("!")) return !isTrue(single());
    if (takes("(")) {
      const value = either();
      if (!takes(")")) throw new Error(`${source}: a bracket is open`);
      return value;
    }
    const token = next();
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (!/^[A-Za-z_]/.test(token)) throw new Error(`${source}: ${token} stands where a value should`);
    if (!takes("(")) return lookup(token.split("."));
    const call = FUNCTIONS[token];
    if (!call || !takes(")")) throw new Error(`${source}: ${token}() is none that the tests know`);
    return call(standing);
  };

  const value = either();
  if (at < tokens.length) throw new Error(`${source}: ${tokens[at] ?? ""} is left over`);
  return value;
}

/** A text with its `${{ … }}` replaced. */
export function interpolate(text: string, lookup: Lookup, standing: Standing): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, source: string) => String(evaluate(source, lookup, standing) ?? ""));
}

/** Whether the condition of a job or a step holds: one that asks for no standing also asks for success. */
export function holds(condition: string | undefined, lookup: Lookup, standing: Standing): boolean {
  const source = (condition ?? "success()").trim().replace(/^\$\{\{(.*)\}\}$/s, "$1");
  const asks = /\b(?:always|cancelled|failure|success)\(\)/.test(source);
  return isTrue(evaluate(asks ? source : `success() && (${source})`, lookup, standing));
}

function tokensOf(source: string): readonly string[] {
  const text = source.trim();
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const place = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new Error(`${source}: ${text.slice(place)} is none of what the tests know`);
    tokens.push(found[0].trim());
  }
  return tokens;
}

function isTrue(value: Value): boolean {
  return value !== null && value !== "" && value !== 0 && value !== false;
}

/** GitHub compares texts without their case, and takes null for the empty text. */
function isSame(left: Value, right: Value): boolean {
  return String(left ?? "").toLowerCase() === String(right ?? "").toLowerCase();
}
