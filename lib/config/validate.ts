import type { Diagnostic } from "../core/diagnostic.ts";
import type { MapEntry, MapNode, Node } from "./node.ts";
import { nodeAt, toJson } from "./node.ts";
import type { ParsedFile } from "./parse-yaml.ts";
import { placeKey, type SchemaFinding, schemaFindings } from "./schema-errors.ts";
import type { Check } from "./validators.ts";

/** A file after its schema: what is wrong, and the tree without the wrong parts, so that later steps can go on. */
export interface ValidatedFile {
  readonly file: string;
  /** Absent where the file could not be read as YAML. */
  readonly root?: MapNode;
  readonly isWhole: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Taking out one wrong part can leave its surroundings wrong; each round takes out one level more. */
const MOST_ROUNDS = 12;

/** Checks one file against its schema. */
export function validate(parsed: ParsedFile, schema: Check): ValidatedFile {
  const { file, root } = parsed;
  if (!root) return { file, isWhole: false, diagnostics: parsed.diagnostics };
  const findings = check(root, schema);
  const wrong = parsed.diagnostics.filter(({ severity }) => severity === "error");
  const said = new Set(wrong.map(({ at }) => placeKey(at)));
  const news = findings.map(({ diagnostic }) => diagnostic).filter(({ at }) => !said.has(placeKey(at)));
  const diagnostics = [...parsed.diagnostics, ...news];
  const sound = findings.length === 0 ? root : prune(root, findings, schema);
  return { file, root: sound, isWhole: wrong.length + news.length === 0, diagnostics };
}

function check(root: MapNode, schema: Check): readonly SchemaFinding[] {
  return schemaFindings(schema(toJson(root)), root);
}

/** What the top of the file lacks cannot be taken out; later steps see for themselves that it is not there. */
function prune(root: MapNode, found: readonly SchemaFinding[], schema: Check): MapNode {
  let sound = root;
  let findings = found;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const wrong = new Set(findings.map((finding) => partToDrop(sound, finding)).filter((part) => part !== sound));
    if (wrong.size === 0) return sound;
    sound = { ...sound, entries: keptEntries(sound, wrong) };
    findings = check(sound, schema);
  }
  return { ...sound, entries: new Map() };
}

/** A match that lost one of its facts would match more than it says: its policy goes as a whole. */
function partToDrop(root: MapNode, { path, node }: SchemaFinding): Node {
  const place = path.findIndex((step) => step === "match" || step === "where");
  return place < 1 ? node : (nodeAt(root, path.slice(0, place)) ?? node);
}

function keptEntries(map: MapNode, wrong: ReadonlySet<Node>): ReadonlyMap<string, MapEntry> {
  const kept = [...map.entries].filter(([, { value }]) => !wrong.has(value));
  return new Map(kept.map(([key, { keyAt, value }]) => [key, { keyAt, value: without(value, wrong) }]));
}

function without(node: Node, wrong: ReadonlySet<Node>): Node {
  switch (node.kind) {
    case "scalar":
      return node;
    case "list":
      return { ...node, items: node.items.filter((item) => !wrong.has(item)).map((item) => without(item, wrong)) };
    case "map":
      return { ...node, entries: keptEntries(node, wrong) };
    default:
      return node satisfies never;
  }
}
