import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument } from "yaml";
import type { InputFault } from "../input.ts";

/** What a text holds: a value, or its errors of syntax. */
interface Opened {
  readonly value: unknown;
  readonly faults: readonly InputFault[];
}

/** Reads YAML, of which JSON is a part. */
export function openText(text: string): Opened {
  const document = parseDocument(text, { logLevel: "silent", prettyErrors: false });
  const faults = document.errors.map(({ message, pos }): InputFault => {
    const problem = message.charAt(0).toLowerCase() + message.slice(1);
    return { at: "", problem, remedy: "correct the YAML here or on the line above", offset: pos[0] };
  });
  return faults.length > 0 ? { value: undefined, faults } : { value: document.toJS(), faults };
}

/** A place in a text; both count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Finds the faults of a seed in the text that it was read from. What is missing is looked for in the map that lacks it. */
export function openFaultPlaces(text: string): (fault: InputFault) => TextPlace {
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter, logLevel: "silent", prettyErrors: false });
  return ({ at, offset }) => {
    const { line, col } = lineCounter.linePos(offset ?? offsetOf(contents, stepsOf(at)));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
}

/** `zones[0].quota` and `world.dns["a.net"]` as steps. */
function stepsOf(at: string): readonly string[] {
  return [...at.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, key, name = ""]) =>
    key === undefined ? (index ?? name) : String(JSON.parse(key)),
  );
}

/** A wrong member of a map is shown at its key, an element of a list at its beginning. */
function offsetOf(contents: ParsedNode | null, steps: readonly string[]): number {
  let node: unknown = contents;
  let offset = startOf(contents);
  for (const step of steps) {
    const next = below(node, step);
    if (next === undefined) break;
    node = next.node;
    offset = next.offset;
  }
  return offset;
}

function below(node: unknown, step: string): { readonly node: unknown; readonly offset: number } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return isNode(item) ? { node: item, offset: startOf(item) } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
  return isPair(pair) && isNode(pair.key) ? { node: pair.value, offset: startOf(pair.key) } : undefined;
}

function startOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}
