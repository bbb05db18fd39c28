import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { type Address, brandAddress, diagnosticCode, fromPairs } from "../core/brand.ts";
import {
  address,
  type Codec,
  digest,
  flag,
  json,
  nested,
  oneOf,
  optional,
  optionalStruct,
  struct,
  structs,
  zone,
} from "../core/codec.ts";
import {
  boolean,
  DecodeError,
  object,
  optionalNumber,
  optionalObject,
  optionalText,
  text,
  texts,
  wholeNumber,
} from "../core/decode.ts";
import { defined, isList, type JsonObject, type Path } from "../core/json.ts";
import type { Diagnostic, Origin, Position } from "../core/diagnostic.ts";
import { CAUSES, type LeafChange } from "../core/diff.ts";
import type { Budget, Limited } from "../core/rate-limits.ts";
import { KINDS } from "../kinds/registry.ts";
import { type Held, RULE_ACTIONS, type RuleChange } from "../kinds/traits/compared.ts";
import { type Hazard, HAZARDS, type HazardWords, type ObjectHazard } from "../kinds/hazards.ts";
import { appliedBy, decodeSources, OBJECT, rulesByPhase, SEEN } from "../state/codec.ts";
import type { SourceSeen, StateObject } from "../state/state.ts";
import {
  type Action,
  ACTIONS,
  type Change,
  type Counts,
  type ForeignDanger,
  type MovesTo,
  type ObservedHazard,
  type Refused,
  type Shared,
  type Watch,
  type ZonePlan,
} from "./change.ts";

/** A code, possibly one that only another version has. */
const code = (from: JsonObject, field: string): DiagnosticCode => diagnosticCode(text(from, field));

const POSITION: Codec<Position> = struct<Position>({
  file: text,
  line: wholeNumber,
  column: wholeNumber,
});

const ORIGIN: Codec<Origin> = struct<Origin>({
  at: nested(POSITION),
  through: optionalText,
  isShared: flag,
  until: optionalText,
});

const LEAF: Codec<LeafChange> = struct<LeafChange>({
  path: texts,
  before: json,
  after: json,
  prior: json,
  cause: oneOf(CAUSES),
  sensitive: flag,
  origin: optionalStruct(ORIGIN),
});

const RULE: Codec<RuleChange> = struct<RuleChange>({
  action: oneOf(RULE_ACTIONS),
  ref: text,
  title: text,
  from: optionalNumber,
  to: optionalNumber,
  leaves: structs(LEAF),
  cause: oneOf(CAUSES),
  at: optionalStruct(POSITION),
  lost: optionalObject,
  foreign: flag,
});

const HELD: Codec<Held> = struct<Held>({
  leaves: structs(LEAF),
  reason: text,
  lifts: optionalText,
  isSoon: flag,
  becomes: (from, field) => (from[field] === "update" ? "update" : undefined),
});

const OBSERVED: Codec<ObservedHazard> = struct<ObservedHazard>({ hazard: oneOf(HAZARDS), because: text });

const HAZARD_DETAIL: Codec<ObjectHazard> = struct<ObjectHazard>({
  hazard: oneOf(HAZARDS),
  paths: optional(paths),
  rules: optional(texts),
  words: optionalStruct(struct<HazardWords>({ one: text, many: text })),
  details: optional(texts),
});

const MOVES_TO: Codec<MovesTo> = struct<MovesTo>({ address, zone, key: text });

const SHARED: Codec<Shared> = struct<Shared>({
  address,
  kind: oneOf(KINDS.map(({ name }) => name)),
  key: text,
  cause: oneOf(CAUSES),
  reason: optionalText,
  leaves: structs(LEAF),
  rules: structs(RULE),
  letGo: paths,
  keeps: optionalObject,
  notes: texts,
  hazards,
  hazardDetails: optional(structs(HAZARD_DETAIL)),
  observed: (from, field) => {
    const observed = structs(OBSERVED)(from, field);
    return observed.length === 0 ? undefined : observed;
  },
  dangers: (from, field) => {
    const dangers = hazards(from, field);
    return dangers.length === 0 ? undefined : dangers;
  },
  dangerDetails: optional(structs(HAZARD_DETAIL)),
  refused: optionalStruct(struct<Omit<Refused, "commands" | "contested">>({ code, message: text, remedy: text })),
  prior: optionalObject,
  by: optional(appliedBy),
  options: object,
  protect: boolean,
  resumes: flag,
  undeclared: flag,
  digest,
  at: optionalStruct(POSITION),
});

/** Reads a change from a plan file. Throws `DecodeError`, also if it lacks what its action needs. */
export function decodeChange(from: JsonObject): Change {
  // The object is new and not shared, so it is completed in place: a copy would take four times the memory.
  const shared = SHARED.decode(from);
  const action = oneOf(ACTIONS)(from, "action");
  const id = (): string => text(from, "id");
  const needed = (name: "desired" | "expected"): JsonObject => object(from, name);
  const [desired, expected] = [optionalObject(from, "desired"), optionalObject(from, "expected")];
  const [seen, held] = [optionalStruct(SEEN)(from, "seen"), optionalStruct(HELD)(from, "held")];
  const movesTo = optionalStruct(MOVES_TO)(from, "movesTo");
  const companion = optionalObject(from, "with");
  const joined = companion && decodeChange(companion);
  switch (action) {
    case "create":
      return Object.assign(shared, { action, desired: needed("desired") });
    case "update": {
      const rest = defined({ held, with: joined });
      return Object.assign(
        shared,
        { action, id: id(), desired: needed("desired"), expected: needed("expected") },
        rest,
      );
    }
    case "replace": {
      const rest = defined({ held });
      return Object.assign(
        shared,
        { action, id: id(), desired: needed("desired"), expected: needed("expected") },
        rest,
      );
    }
    case "delete": {
      const rest = defined({ movesTo, replaced: flag(from, "replaced") });
      return Object.assign(shared, { action, id: id(), expected: needed("expected") }, rest);
    }
    case "adopt": {
      const rest = defined({ seen, expected, held, with: joined });
      return Object.assign(shared, { action, id: id(), desired: needed("desired") }, rest);
    }
    case "forget":
      return Object.assign(shared, { action, id: id() }, defined({ seen, desired, expected }));
    case "held": {
      const rest = defined({ id: optionalText(from, "id"), seen, desired, expected, movesTo });
      return Object.assign(shared, { action, held: nested(HELD)(from, "held") }, rest);
    }
    case "no-op":
      return Object.assign(shared, { action, id: id(), desired: needed("desired") }, defined({ seen, expected }));
    default:
      return action satisfies never;
  }
}

function hazards(from: JsonObject, field: string): readonly Hazard[] {
  return texts(from, field).map((hazard) => oneOf(HAZARDS)({ hazard }, "hazard"));
}

function addresses(from: JsonObject, field: string): readonly Address[] {
  return texts(from, field).map(brandAddress);
}

function paths(from: JsonObject, field: string): readonly Path[] {
  const value = from[field];
  return isList(value) ? value.map((path) => texts({ path }, "path")) : [];
}

const FINDING: Codec<Diagnostic> = struct<Omit<Diagnostic, "commands">>({
  severity: oneOf(["error", "warning"]),
  code,
  message: text,
  remedy: optionalText,
  address: optionalText,
  at: optionalStruct(POSITION),
});

const COUNTS: Codec<Counts> = struct<Counts>({
  byAction: nested(struct<Record<Action, number>>(fromPairs(ACTIONS.map((action) => [action, wholeNumber])))),
  foreign: wholeNumber,
  expired: wholeNumber,
});

const DANGER: Codec<ForeignDanger> = struct<ForeignDanger>({
  address,
  ref: text,
  at: wholeNumber,
  does: text,
  hazards,
  project: optionalText,
});

const WATCH: Codec<Watch> = struct<Watch>({
  dangers: structs(DANGER),
  shown: rulesByPhase,
  isNews: boolean,
});

/** The fields of a zone in a plan file, without its changes. */
export const ZONE: Codec<Omit<ZonePlan, "changes" | "bookkeeping" | "reviewed" | "claims" | "settled">> = struct<
  Omit<ZonePlan, "changes" | "bookkeeping" | "reviewed" | "claims" | "settled">
>({
  zone: nested(struct<ZonePlan["zone"]>({ id: zone, name: text })),
  lineage: optionalText,
  serial: wholeNumber,
  journalRecords: optional(wholeNumber),
  counts: nested(COUNTS),
  gone: addresses,
  watch: optionalStruct(WATCH),
  findings: structs(FINDING),
});

/** The budget that a plan was made for. */
export const BUDGET: Codec<Budget> = struct<Budget>({
  apiShare: limited,
  issuancePerMinute: limited,
  issuanceReserve: number,
  countsPatches: boolean,
  runners: optionalNumber,
});

function limited(from: JsonObject, field: string): Limited {
  return from[field] === "unlimited" ? "unlimited" : number(from, field);
}

function number(from: JsonObject, field: string): number {
  const value = optionalNumber(from, field);
  if (value === undefined) throw new DecodeError(field, "a number", from[field]);
  return value;
}

/** Reads one record of the bookkeeping (an object to remember or to drop). Throws `DecodeError`. */
export function decodeBookkeeping(from: JsonObject): Entry {
  const remembered = optionalObject(from, "remember");
  if (remembered) return { remember: OBJECT.decode(remembered) };
  const sources = optionalObject(from, "sources");
  return sources ? { sources: decodeSources(sources) } : { drop: text(from, "drop") };
}

type Entry =
  | { readonly remember: StateObject }
  | { readonly drop: string }
  | { readonly sources: Readonly<Record<string, SourceSeen>> };
