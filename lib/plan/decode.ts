import { brandAddress, brandDigest, diagnosticCode, zoneId } from "../core/brand.ts";
import type { Budget } from "../config/desired.ts";
import {
  DecodeError,
  objects,
  optionalBoolean,
  optionalNumber,
  optionalObject,
  optionalText,
  text,
} from "../core/decode.ts";
import type { Diagnostic, Position } from "../core/diagnostic.ts";
import type { Cause, LeafChange } from "../core/diff.ts";
import { isList, type Json, type JsonObject, type Path } from "../core/json.ts";
import type { Limited } from "../core/rate-limits.ts";
import type { Hazard } from "../kinds/traits/judged.ts";
import type { Held, RuleChange } from "../kinds/traits/compared.ts";
import type { KindName } from "../kinds/kind.ts";
import { KINDS } from "../kinds/registry.ts";
import { decodeObject } from "../state/object.ts";
import { decodeSources } from "../state/sources.ts";
import type { SourceSeen, StateObject } from "../state/state.ts";
import type { Action, Change, Cost, Counts, ZonePlan } from "./change.ts";

const ACTIONS = ["create", "update", "replace", "delete", "adopt", "forget", "held", "no-op"] as const;
const CAUSES = ["config", "drift", "both", "service"] as const;
const HAZARDS = [
  "irreversible",
  "outage",
  "weakens-protection",
  "needs-customer",
  "reissue",
  "loses-foreign-rule",
] as const;
const RULE_ACTIONS = ["insert", "remove", "move", "edit", "enable", "disable"] as const;

/** A change as a plan file holds it. Throws `DecodeError` where a field is not as it should be. */
export function decodeChange(from: JsonObject): Change {
  const held = optionalObject(from, "held");
  const refused = optionalObject(from, "refused");
  const position = optionalObject(from, "at");
  const desired = optionalObject(from, "desired");
  const prior = optionalObject(from, "prior");
  const expected = optionalObject(from, "expected");
  const companion = optionalObject(from, "with");
  return {
    address: brandAddress(text(from, "address")),
    kind: kindName(from),
    key: text(from, "key"),
    action: decodeAction(from),
    cause: oneOf<Cause>(from, "cause", CAUSES),
    ...textIfThere(from, "reason"),
    ...textIfThere(from, "id"),
    ...lastSeen(from),
    leaves: objects(from, "leaves").map(decodeLeaf),
    rules: objects(from, "rules").map(decodeRule),
    ...(held ? { held: decodeHeld(held) } : {}),
    letGo: paths(from["letGo"]),
    notes: strings(from["notes"]),
    ...(companion ? { with: decodeChange(companion) } : {}),
    hazards: strings(from["hazards"]).map((hazard) => oneOf<Hazard>({ hazard }, "hazard", HAZARDS)),
    ...observedHazards(from),
    ...(from["weakened"] === true ? { weakened: true as const } : {}),
    ...(refused
      ? {
          refused: {
            code: diagnosticCode(text(refused, "code")),
            message: text(refused, "message"),
            remedy: text(refused, "remedy"),
          },
        }
      : {}),
    ...(desired ? { desired } : {}),
    ...(prior ? { prior } : {}),
    ...(expected ? { expected } : {}),
    options: optionalObject(from, "options") ?? {},
    protect: optionalBoolean(from, "protect") ?? false,
    ...movesTo(from),
    ...(from["resumes"] === true ? { resumes: true as const } : {}),
    ...(from["replaced"] === true ? { replaced: true as const } : {}),
    ...(from["undeclared"] === true ? { undeclared: true as const } : {}),
    digest: brandDigest(text(from, "digest")),
    ...(position ? { at: decodePosition(position) } : {}),
  };
}

function decodeHeld(from: JsonObject): Held {
  const lifts = optionalText(from, "lifts");
  return {
    leaves: objects(from, "leaves").map(decodeLeaf),
    reason: text(from, "reason"),
    ...(lifts === undefined ? {} : { lifts }),
    ...(from["becomes"] === "update" ? { becomes: "update" as const } : {}),
  };
}

function observedHazards(from: JsonObject): Pick<Change, "observed"> {
  const observed = objects(from, "observed").map((each) => ({
    hazard: oneOf<Hazard>(each, "hazard", HAZARDS),
    because: text(each, "because"),
  }));
  return observed.length === 0 ? {} : { observed };
}

/** The action of a change as it is written down. Throws `DecodeError`. */
export function decodeAction(from: JsonObject): Action {
  return oneOf<Action>(from, "action", ACTIONS);
}

function movesTo(from: JsonObject): Pick<Change, "movesTo"> {
  const to = optionalObject(from, "movesTo");
  if (!to) return {};
  return {
    movesTo: { address: brandAddress(text(to, "address")), zone: zoneId(text(to, "zone")), key: text(to, "key") },
  };
}

function lastSeen(from: JsonObject): Pick<Change, "seen"> {
  const seen = optionalObject(from, "seen");
  return seen ? { seen: { status: text(seen, "status"), at: text(seen, "at") } } : {};
}

function decodeLeaf(from: JsonObject): LeafChange {
  const [before, after, prior] = [from["before"], from["after"], from["prior"]];
  return {
    path: strings(from["path"]),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(prior === undefined ? {} : { prior }),
    cause: oneOf<Cause>(from, "cause", CAUSES),
    ...(from["sensitive"] === true ? { sensitive: true as const } : {}),
  };
}

function decodeRule(from: JsonObject): RuleChange {
  const [before, after] = [optionalNumber(from, "from"), optionalNumber(from, "to")];
  return {
    action: oneOf(from, "action", RULE_ACTIONS),
    ref: text(from, "ref"),
    title: text(from, "title"),
    ...(before === undefined ? {} : { from: before }),
    ...(after === undefined ? {} : { to: after }),
    leaves: objects(from, "leaves").map(decodeLeaf),
    cause: oneOf<Cause>(from, "cause", CAUSES),
    ...(from["foreign"] === true ? { foreign: true as const } : {}),
  };
}

/** What a plan file says of a zone besides its changes. Throws `DecodeError`. */
export function decodeZone(from: JsonObject): Omit<ZonePlan, "changes" | "bookkeeping"> {
  const zone = optionalObject(from, "zone") ?? {};
  return {
    zone: { id: zoneId(text(zone, "id")), name: text(zone, "name") },
    ...textIfThere(from, "lineage"),
    serial: optionalNumber(from, "serial") ?? 0,
    ...(from["journalRecords"] === undefined ? {} : { journalRecords: optionalNumber(from, "journalRecords") ?? 0 }),
    counts: decodeCounts(optionalObject(from, "counts") ?? {}),
    cost: decodeCost(optionalObject(from, "cost") ?? {}),
    findings: objects(from, "findings").map(decodeDiagnostic),
  };
}

/** What a plan file says of an object that is only remembered or dropped, added to what was read before. Throws `DecodeError`. */
export function decodeBookkeeping(from: JsonObject): Entry {
  const object = optionalObject(from, "remember");
  if (object) return { remember: decodeObject(object) };
  const sources = optionalObject(from, "sources");
  return sources ? { sources: decodeSources(sources) } : { drop: text(from, "drop") };
}

type Entry =
  | { readonly remember: StateObject }
  | { readonly drop: string }
  | { readonly sources: Readonly<Record<string, SourceSeen>> };

/** The budget that a plan was made for. Throws `DecodeError`. */
export function decodeBudget(header: JsonObject): Budget {
  const budget = optionalObject(header, "budget") ?? {};
  return {
    apiShare: limited(budget, "apiShare"),
    issuancePerMinute: limited(budget, "issuancePerMinute"),
    issuanceReserve: number(budget, "issuanceReserve"),
    countsPatches: optionalBoolean(budget, "countsPatches") ?? true,
  };
}

function limited(budget: JsonObject, key: string): Limited {
  return budget[key] === "unlimited" ? "unlimited" : number(budget, key);
}

function number(from: JsonObject, field: string): number {
  const value = optionalNumber(from, field);
  if (value === undefined) throw new DecodeError(field, "a number", from[field]);
  return value;
}

function decodeCounts(from: JsonObject): Counts {
  const byAction = optionalObject(from, "byAction") ?? {};
  const count = (action: Action): number => optionalNumber(byAction, action) ?? 0;
  return {
    byAction: {
      create: count("create"),
      update: count("update"),
      replace: count("replace"),
      delete: count("delete"),
      adopt: count("adopt"),
      forget: count("forget"),
      held: count("held"),
      "no-op": count("no-op"),
    },
    foreign: optionalNumber(from, "foreign") ?? 0,
    expired: optionalNumber(from, "expired") ?? 0,
    gone: optionalNumber(from, "gone") ?? 0,
  };
}

function decodeCost(from: JsonObject): Cost {
  return {
    calls: optionalNumber(from, "calls") ?? 0,
    issuances: optionalNumber(from, "issuances") ?? 0,
    seconds: optionalNumber(from, "seconds") ?? 0,
  };
}

function decodeDiagnostic(from: JsonObject): Diagnostic {
  const position = optionalObject(from, "at");
  return {
    severity: oneOf(from, "severity", ["error", "warning"] as const),
    code: diagnosticCode(text(from, "code")),
    message: text(from, "message"),
    ...textIfThere(from, "remedy"),
    ...textIfThere(from, "address"),
    ...(position ? { at: decodePosition(position) } : {}),
  };
}

function decodePosition(from: JsonObject): Position {
  return {
    file: text(from, "file"),
    line: optionalNumber(from, "line") ?? 1,
    column: optionalNumber(from, "column") ?? 1,
  };
}

function kindName(from: JsonObject): KindName {
  return oneOf(
    from,
    "kind",
    KINDS.map(({ name }) => name),
  );
}

function oneOf<T extends string>(from: JsonObject, field: string, allowed: readonly T[]): T {
  const value = from[field];
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new DecodeError(field, `one of ${allowed.join(", ")}`, value);
  return found;
}

function textIfThere<Name extends string>(from: JsonObject, field: Name): { readonly [key in Name]?: string } {
  const value = optionalText(from, field);
  const found: { [key in Name]?: string } = {};
  if (value !== undefined) found[field] = value;
  return found;
}

function strings(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function paths(value: Json | undefined): readonly Path[] {
  return isList(value) ? value.map((item) => strings(item)) : [];
}
