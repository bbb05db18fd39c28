import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument } from "yaml";
import * as compiled from "#seed-validators";
import type { Schema, Validate } from "#seed-validators";
import { InputError, type InputFault } from "../input.ts";
import { isObject } from "../json.ts";
import type { DnsAnswer, Traffic } from "../world.ts";
import { schemaFaults } from "./faults.ts";
import type { Seed, SeedWaf } from "./shape.ts";

/** What a service starts with when it gets no seed: a token for everything, a read-only token, and a zone. */
export const DEFAULT_SEED: Seed = {
  tokens: [
    { value: "emulator-token", permissions: "all" },
    { value: "emulator-read-token", permissions: "read" },
  ],
  zones: [
    {
      id: "023e105f4ecef8ad9ca31a8372d0c353",
      name: "saas.dev",
      plan: "enterprise",
      dns_records: [{ type: "A", name: "fallback.saas.dev", content: "192.0.2.10", proxied: true }],
    },
  ],
};

/** Reads a seed from YAML (or JSON) text. Throws an InputError with everything that is wrong; `openFaultPlaces` finds it in the text. */
export function parseSeed(text: string): Seed {
  const document = parseDocument(text, { logLevel: "silent", prettyErrors: false });
  const faults = document.errors.map(({ message, pos }): InputFault => {
    const problem = message.charAt(0).toLowerCase() + message.slice(1);
    return { at: "", problem, remedy: "correct the YAML here or on the line above", offset: pos[0] };
  });
  if (faults.length > 0) throw new InputError(...faults);
  return readSeed(document.toJS() ?? {});
}

/** Checks a seed that comes from outside, and returns a copy of it, typed. Throws an InputError with everything that is wrong. */
export function readSeed(value: unknown): Seed {
  return read(value, "", compiled.seed, compiled.schema);
}

/** Reads the managed rules of a zone, as a seed has them. Throws an InputError. */
export function readWaf(value: unknown): SeedWaf {
  return read(value, "", compiled.waf, partNamed("waf"));
}

/** Reads what the outside DNS answers for one name. Throws an InputError, which names the place `at`. */
export function readAnswer(value: unknown, at: string): DnsAnswer {
  return read(value, at, compiled.dnsAnswer, partNamed("dnsAnswer"));
}

/** Reads who sends requests to one name. Throws an InputError, which names the place `at`. */
export function readTraffic(value: unknown, at: string): Traffic {
  return { impacted_clients: false, ...read(value, at, compiled.traffic, partNamed("traffic")) };
}

function partNamed(name: string): Schema {
  return compiled.schema.$defs?.[name] ?? {};
}

function read<T>(value: unknown, at: string, fits: Validate<T>, schema: Schema): T {
  // Its own copy: what a service makes of it must not change the object that a caller has.
  const given: unknown = structuredClone(withoutEmpty(value, schema));
  if (fits(given)) return given;
  throw new InputError(...schemaFaults(given, at, fits.errors ?? []));
}

/** A copy without the members that are empty: in a seed that means the same as absent, but for those that may be null. */
function withoutEmpty(value: unknown, given: Schema): unknown {
  const schema = resolved(given);
  const { items, properties } = schema;
  if (Array.isArray(value))
    return value.map((item: unknown) => (items === undefined ? item : withoutEmpty(item, items)));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const known = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) return [[name, member]];
    const isAbsent = member === undefined || (member === null && !mayBeNull(known));
    return isAbsent ? [] : [[name, withoutEmpty(member, known)]];
  });
  // Object.fromEntries, because an assignment to a name such as __proto__ would be lost.
  return Object.fromEntries(members);
}

function mayBeNull(schema: Schema): boolean {
  return resolved(schema).anyOf?.some(({ type }) => type === "null") === true;
}

function resolved(schema: Schema): Schema {
  const { $ref: reference } = schema;
  return reference === undefined ? schema : resolved(partNamed(reference.replace("#/$defs/", "")));
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
