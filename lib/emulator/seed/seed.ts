import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument } from "yaml";
import * as compiled from "#seed-validators";
import type { Schema, Validate } from "#seed-validators";
import { InputError, type InputFault } from "../input.ts";
import { isObject } from "../json.ts";
import type { DnsAnswer, Traffic } from "../world.ts";
import { schemaFaults } from "./faults.ts";
import type { Seed, SeedWaf } from "./shape.ts";

/** What a service starts with if it gets no seed: a token for everything, a read-only token, and a zone. */
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

/** Reads a seed from YAML or JSON. Throws an InputError with every fault; `openFaultPlaces` finds their lines. */
export function parseSeed(text: string): Seed {
  const document = parseDocument(text, { logLevel: "silent", prettyErrors: false });
  const faults = document.errors.map(({ message, pos }): InputFault => {
    const problem = message.charAt(0).toLowerCase() + message.slice(1);
    return { at: "", problem, remedy: "correct the YAML here or on the line above", offset: pos[0] };
  });
  if (faults.length > 0) throw new InputError(...faults);
  return readSeed(document.toJS() ?? {});
}

/** Checks a seed, and returns a typed copy. Throws an InputError with every fault. */
export function readSeed(value: unknown): Seed {
  return read(value, "", compiled.seed, compiled.schema);
}

/** Reads the managed rules of a zone, with the keys of `waf` in a seed. Throws an InputError. */
export function readWaf(value: unknown): SeedWaf {
  return read(value, "", compiled.waf, partNamed("waf"));
}

/** Reads what the outside DNS answers for one name. Throws an InputError whose places begin with `at`. */
export function readAnswer(value: unknown, at: string): DnsAnswer {
  return read(value, at, compiled.dnsAnswer, partNamed("dnsAnswer"));
}

/** Reads who sends requests to one name. Throws an InputError whose places begin with `at`. */
export function readTraffic(value: unknown, at: string): Traffic {
  return { impacted_clients: false, ...read(value, at, compiled.traffic, partNamed("traffic")) };
}

function partNamed(name: string): Schema {
  return compiled.schema.$defs?.[name] ?? {};
}

function read<T>(value: unknown, at: string, fits: Validate<T>, schema: Schema): T {
  // A copy, so that the service never changes the caller's object.
  const given: unknown = structuredClone(withoutEmpty(value, schema));
  if (fits(given)) return given;
  throw new InputError(...schemaFaults(given, at, fits.errors ?? []));
}

/** A copy without empty members. In a seed empty means absent, except for a member that may be null. */
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

/** Finds the place of a fault in the text of the seed. A missing key is placed at the map that lacks it. */
export function openFaultPlaces(text: string): (fault: InputFault) => TextPlace {
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter, logLevel: "silent", prettyErrors: false });
  return ({ at, offset }) => {
    const { line, col } = lineCounter.linePos(offset ?? offsetOf(contents, stepsOf(at)));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
}

/** Splits a place such as `zones[0].quota` or `world.dns["a.net"]` into steps. */
function stepsOf(at: string): readonly string[] {
  return [...at.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, key, name = ""]) =>
    key === undefined ? (index ?? name) : String(JSON.parse(key)),
  );
}

/** The offset of the last step that exists: of the key in a map, or of the beginning of an element in a list. */
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
