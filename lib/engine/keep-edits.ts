import { type CellEdit } from "../config/edit-csv.ts";
import { type Arranged, EditableYaml, type YamlEdit } from "../config/edit-yaml.ts";
import type { DesiredObject, DesiredZone, LoadedProject, Policy } from "../config/desired.ts";
import type { Steps } from "../config/document.ts";
import { isHostnamePattern, normaliseHostname } from "../config/match.ts";
import type { Address } from "../core/brand.ts";
import { objects, optionalText } from "../core/decode.ts";
import { formatPosition, type Position } from "../core/diagnostic.ts";
import type { LeafChange } from "../core/diff.ts";
import {
  canonical,
  formatPath,
  isList,
  isObject,
  type Json,
  type JsonObject,
  valueAt,
  withValueAt,
} from "../core/json.ts";
import { bucketed } from "../core/lists.ts";
import { isHostname, kindNamed } from "../kinds/registry.ts";
import { OF_ACTION } from "../kinds/ruleset/actions.ts";
import type { RuleEvent } from "../kinds/traits/shared.ts";
import type { Drifted } from "../plan/drift.ts";
import { factsOf } from "../plan/targets.ts";
import type { ZoneDrift } from "./drift.ts";

/** An object whose live values will be declared. */
export interface Kept {
  readonly zone: string;
  readonly address: Address;
  readonly kind: Drifted["kind"];
  readonly key: string;
  /** The fields, and `rule REF` for what happened to a rule; empty if the object is gone and is no longer declared. */
  readonly fields: readonly string[];
}

/** A change that no edit of the YAML keeps. */
export interface NotKept {
  readonly address: Address;
  /** The field or rule; absent for the whole object. */
  readonly field?: string;
  readonly reason: string;
}

/** The files of a project, read once for editing; named as positions name them. */
export interface EditedFiles {
  yaml(file: string): Promise<EditableYaml>;
}

/** What to change in which file. */
export interface KeepEdits {
  readonly yaml: ReadonlyMap<string, readonly YamlEdit[]>;
  readonly cells: ReadonlyMap<string, readonly CellEdit[]>;
  readonly kept: readonly Kept[];
  readonly notKept: readonly NotKept[];
}

const ENTRIES = ["custom_hostnames", "entries"] as const;
const EXCEPTIONS = ["custom_hostnames", "exceptions"] as const;

/**
 * Finds where each drifted value is declared, and the edits that declare the live one there. A value that also decides
 * for other objects stays: a hostname gets an exception instead, any other object is not kept. `replaced` are sources
 * that the command line reads from another file.
 */
export async function editsToKeep(
  project: LoadedProject,
  zones: readonly ZoneDrift[],
  files: EditedFiles,
  replaced: ReadonlySet<string>,
): Promise<KeepEdits> {
  const edits = new Edits(files);
  for (const zone of zones) await new Keeper(project, zone, files, replaced, edits).keep();
  return edits.finished();
}

/** Collects edits; those of one list become one edit. */
class Edits {
  private readonly files: EditedFiles;
  private readonly yaml = new Map<string, YamlEdit[]>();
  private readonly lists = new Map<string, { file: string; path: Steps; removed: Set<number>; added: Json[] }>();
  readonly cells: Map<string, CellEdit[]> = new Map();
  readonly kept: Kept[] = [];
  readonly notKept: NotKept[] = [];

  constructor(files: EditedFiles) {
    this.files = files;
  }

  add(file: string, edit: YamlEdit): void {
    this.yaml.set(file, [...(this.yaml.get(file) ?? []), edit]);
  }

  /** Sets a value, or removes it if there is none. */
  put(file: string, path: Steps, value: Json | undefined): void {
    this.add(file, value === undefined ? { what: "remove", path } : { what: "set", path, value });
  }

  /** A list of which items are removed, or to which new ones are added. */
  list(file: string, path: Steps): { removed: Set<number>; added: Json[] } {
    const key = JSON.stringify([file, path]);
    const list = this.lists.get(key) ?? { file, path, removed: new Set<number>(), added: [] };
    this.lists.set(key, list);
    return list;
  }

  async finished(): Promise<KeepEdits> {
    for (const { file, path, removed, added } of this.lists.values()) {
      const found = (await this.files.yaml(file)).valueAt(path);
      const kept = isList(found) ? found.map((_item, index) => index).filter((index) => !removed.has(index)) : [];
      const items = [...kept, ...added.map((item) => ({ added: item }))];
      if (removed.size > 0) this.add(file, { what: "arrange", path, items });
      else if (added.length > 0) this.add(file, { what: "append", path, items: added });
    }
    const { yaml, cells, kept, notKept } = this;
    return { yaml, cells, kept, notKept };
  }
}

/** Keeps the drift of one zone. */
class Keeper {
  private readonly project: LoadedProject;
  private readonly drift: ZoneDrift;
  private readonly files: EditedFiles;
  private readonly replaced: ReadonlySet<string>;
  private readonly edits: Edits;
  private readonly objects: ReadonlyMap<string, DesiredObject>;
  /** Hostnames that are no longer declared. */
  private readonly gone = new Set<string>();
  /** The values of new exceptions, by hostname. */
  private readonly exceptions = new Map<string, JsonObject>();

  constructor(
    project: LoadedProject,
    drift: ZoneDrift,
    files: EditedFiles,
    replaced: ReadonlySet<string>,
    edits: Edits,
  ) {
    this.project = project;
    this.drift = drift;
    this.files = files;
    this.replaced = replaced;
    this.edits = edits;
    this.objects = new Map(this.zone.objects.map((object) => [`${object.kind} ${object.key}`, object]));
  }

  private get zone(): DesiredZone {
    return this.drift.input.desired;
  }

  async keep(): Promise<void> {
    const { drifted, foreign } = this.drift.judgement;
    for (const each of drifted) await this.keepObject(each);
    this.declareExceptions();
    for (const { address, ref } of foreign)
      this.leave(
        { address },
        ruleField(ref),
        "it is a foreign rule, so no YAML declares it; review it with zoneform plan and apply",
      );
  }

  private async keepObject(drifted: Drifted): Promise<void> {
    if (drifted.what === "replaced")
      return this.leave(
        drifted,
        undefined,
        "another object has its name now; zoneform import starts to manage that one",
      );
    if (drifted.what !== "changed") return this.dropObject(drifted);
    const fields = isHostname(drifted.kind) ? await this.keepHostname(drifted) : await this.keepSection(drifted);
    if (fields.length > 0) this.keptAs(drifted, fields);
  }

  private keptAs({ address, kind, key }: Drifted, fields: readonly string[]): void {
    this.edits.kept.push({ zone: this.zone.name, address, kind, key, fields });
  }

  private leave({ address }: Pick<Drifted, "address">, field: string | undefined, reason: string): void {
    this.edits.notKept.push({ address, ...(field === undefined ? {} : { field }), reason });
  }

  /** Declares a field of a hostname where it is decided, if that decides for no other one; else in an exception. */
  private async keepHostname(drifted: Drifted): Promise<readonly string[]> {
    const fields: string[] = [];
    for (const leaf of drifted.leaves) {
      const reason = (await this.keepLeaf(drifted, leaf)) ?? undefined;
      if (reason === undefined) fields.push(formatPath(leaf.path));
      else this.leave(drifted, formatPath(leaf.path), reason);
    }
    return fields;
  }

  /** Returns why a field cannot be kept, or undefined. */
  private async keepLeaf({ kind, key }: Drifted, { path, before, sensitive }: LeafChange): Promise<string | undefined> {
    if (sensitive || kindNamed(kind).writeOnly.includes(formatPath(path)))
      return "it is a secret, or comes with one, and Cloudflare does not show it";
    const value = before ?? undefined;
    const object = this.objects.get(`${kind} ${key}`);
    if (value === undefined && valueAt(object?.floor, path) !== undefined)
      return "live has no value, and a policy sets one; change the policy";
    const live = this.drift.input.live.objects.get(kind)?.get(key);
    const decider = this.project.deciderOf(this.zone.name, { key, ...(live ? { facts: factsOf(live) } : {}) }, path);
    switch (decider?.by) {
      case "row": {
        const { at, source, delimiter, isEmpty } = decider;
        const text = cellText(value);
        if (isEmpty || delimiter === undefined || text === undefined || this.replaced.has(source)) break;
        const { file, line, column } = at;
        this.edits.cells.set(file, [...(this.edits.cells.get(file) ?? []), { line, column, delimiter, value: text }]);
        return undefined;
      }
      case "entry": {
        const { file } = decider.at;
        const entry = object && (await this.itemAt(file, ENTRIES, ["hostname"], object.at));
        if (entry && (await this.put(file, [...entry, ...path], value))) return undefined;
        break;
      }
      case "exception": {
        const { file } = decider.at;
        const own = isForOne(decider.policy)
          ? await this.itemAt(file, EXCEPTIONS, ["match", "hostname"], decider.policy.at)
          : undefined;
        if (own && (await this.put(file, [...own, "set", ...path], value))) return undefined;
        break;
      }
      case "policy":
      case undefined:
        break;
      default:
        decider satisfies never;
    }
    if (value === undefined)
      return "live has no value, and no exception can declare that; remove it from the YAML by hand";
    this.exceptions.set(key, withValueAt(this.exceptions.get(key) ?? {}, path, value));
    return undefined;
  }

  /** Whether the place is this object's alone; if so, the value is put there. */
  private async put(file: string, path: Steps, value: Json | undefined): Promise<boolean> {
    if (!(await this.files.yaml(file)).isAlone(path)) return false;
    this.edits.put(file, path, value);
    return true;
  }

  /** The path to the item of a list, of which one part is at a position. */
  private async itemAt(file: string, list: Steps, part: Steps, at: Position): Promise<Steps | undefined> {
    if (at.file !== file) return undefined;
    const index = (await this.files.yaml(file)).indexAt(list, part, at);
    return index === undefined ? undefined : [...list, index];
  }

  /** One exception for all hostnames that keep the same values. */
  private declareExceptions(): void {
    const { serviceNow, now } = this.drift.input;
    const reason = `live value kept on ${(serviceNow ?? now).slice(0, 10)}`;
    for (const bucket of bucketed([...this.exceptions], ([, set]) => canonical(set)).values()) {
      const [[first, set]] = bucket;
      const hostname = bucket.length === 1 ? first : bucket.map(([name]) => name).sort();
      this.edits.list(this.zone.at.file, EXCEPTIONS).added.push({ match: { hostname }, set, reason });
    }
  }

  /** An object that is gone is no longer declared. */
  private async dropObject(drifted: Drifted): Promise<void> {
    const { kind, key } = drifted;
    const object = this.objects.get(`${kind} ${key}`);
    const { section } = kindNamed(kind);
    if (!object) return this.leave(drifted, undefined, "it is not declared");
    const { file } = object.at;
    if (section) {
      const path =
        section.shape === "list" ? await this.itemAt(file, [section.key], [], object.at) : sectionPath(section, key);
      if (!path || this.otherUser(drifted, [], object.at) || !(await this.files.yaml(file)).isAlone(path))
        return this.leave(drifted, undefined, `it is declared in ${formatPosition(object.at)} for other objects too`);
      if (section.shape === "list") this.edits.list(file, [section.key]).removed.add(Number(path.at(-1)));
      else this.edits.put(file, path, undefined);
      return this.keptAs(drifted, []);
    }
    if (this.project.deciderOf(this.zone.name, { key }, ["hostname"])?.by === "row")
      return this.leave(
        drifted,
        undefined,
        `a row declares it (${formatPosition(object.at)}); remove the row where the file comes from`,
      );
    const entry = await this.itemAt(file, ENTRIES, ["hostname"], object.at);
    if (!entry)
      return this.leave(drifted, undefined, `the entry in ${formatPosition(object.at)} is written with an anchor`);
    this.edits.list(file, ENTRIES).removed.add(Number(entry.at(-1)));
    for (const each of new Set([file, this.zone.at.file])) await this.forget(each, key);
    this.keptAs(drifted, []);
  }

  /** Removes a hostname from the exceptions of a file: each name there has to be declared. */
  private async forget(file: string, hostname: string): Promise<void> {
    this.gone.add(hostname);
    const isGone = (name: Json): boolean => typeof name === "string" && this.gone.has(normaliseHostname(name));
    const found = (await this.files.yaml(file)).valueAt(EXCEPTIONS);
    for (const [index, exception] of (isList(found) ? found : []).entries()) {
      const match = isObject(exception) && isObject(exception["match"]) ? exception["match"] : {};
      const names = isList(match["hostname"]) ? match["hostname"] : [match["hostname"] ?? null];
      // Without all of them: a later edit of the same list replaces an earlier one.
      const left = names.filter((name) => !isGone(name));
      if (left.length === names.length) continue;
      if (left.length === 0) this.edits.list(file, EXCEPTIONS).removed.add(index);
      else this.edits.put(file, [...EXCEPTIONS, index, "match", "hostname"], left);
    }
  }

  /** Another zone that declares the same value at the same place, by a layer. */
  private otherUser({ kind, key }: Drifted, path: readonly string[], at: Position): string | undefined {
    const isThere = (name: string): boolean => {
      const other =
        this.project.originOf(name, { kind, key }, path)?.at ??
        this.project.desired.zones
          .find((zone) => zone.name === name)
          ?.objects.find((object) => object.kind === kind && object.key === key)?.at;
      return other !== undefined && formatPosition(other) === formatPosition(at);
    };
    return this.project.desired.zones.find(({ name }) => name !== this.zone.name && isThere(name))?.name;
  }

  /** Declares fields of an object that has a section of its own, and what happened to its rules. */
  private async keepSection(drifted: Drifted): Promise<readonly string[]> {
    const { kind, key, leaves, rules } = drifted;
    const object = this.objects.get(`${kind} ${key}`);
    const { section } = kindNamed(kind);
    if (!object || !section) return [];
    const fields: string[] = [];
    for (const { path, before } of leaves) {
      const at = this.project.originOf(this.zone.name, { kind, key }, path)?.at ?? object.at;
      const isShared = this.otherUser(drifted, path, at) !== undefined;
      // The zone file wins over the layer.
      const file = isShared ? this.zone.at.file : at.file;
      const base =
        section.shape === "list" ? await this.itemAt(file, [section.key], [], object.at) : sectionPath(section, key);
      const canPut = base !== undefined && !(isShared && before === undefined);
      if (canPut && (await this.put(file, [...base, ...path], before ?? undefined))) fields.push(formatPath(path));
      else this.leave(drifted, formatPath(path), `it is declared in ${formatPosition(at)} for other objects too`);
    }
    if (rules.length > 0)
      fields.push(...(await this.keepRules(drifted, object, [...sectionPath(section, key), "rules"])));
    return fields;
  }

  private async keepRules(drifted: Drifted, { at: top }: DesiredObject, list: Steps): Promise<readonly string[]> {
    const { kind, key } = drifted;
    const at = this.project.originOf(this.zone.name, { kind, key }, ["rules"])?.at ?? top;
    const yaml = await this.files.yaml(at.file);
    const found = yaml.valueAt(list);
    const written = (isList(found) ? found : []).filter(isObject);
    const refs = written.map((rule) => optionalText(rule, "ref") ?? "");
    const live = this.drift.input.live.objects.get(kind)?.get(key);
    const other = this.otherUser(drifted, ["rules"], at);
    const fields: string[] = [];
    const done: RuleEvent[] = [];
    for (const event of drifted.rules) {
      const rule = [...list, refs.indexOf(event.ref)];
      const isNew = event.what === "added";
      if (event.what === "ahead" || event.what === "behind")
        this.leave(drifted, ruleField(event.ref), "it is a foreign rule, so no YAML declares it");
      else if (other !== undefined)
        this.leave(
          drifted,
          ruleField(event.ref),
          `the layer ${at.file} declares the rules, and zone ${other} uses it too`,
        );
      else if (!live || (!isNew && !refs.includes(event.ref)) || !yaml.isAlone(isNew ? list : rule))
        this.leave(drifted, ruleField(event.ref), `the rules are written with an anchor (${formatPosition(at)})`);
      else {
        this.keepFields(at.file, rule, event, written[refs.indexOf(event.ref)] ?? {}, liveRule(kind, live, event.ref));
        done.push(event);
        fields.push(ruleField(event.ref));
      }
    }
    const isArranged = done.some(({ what }) => what === "added" || what === "removed" || what === "moved");
    if (live && isArranged) {
      const liveRefs = objects(live.values, "rules").map((rule) => optionalText(rule, "ref") ?? "");
      const items = arrangedRules(refs, liveRefs, done).map((ref): Arranged => {
        const index = refs.indexOf(ref);
        return index < 0 ? { added: liveRule(kind, live, ref) } : index;
      });
      this.edits.add(at.file, { what: "arrange", path: list, items });
    }
    return fields;
  }

  /** The fields of an edited or switched rule. With another action, it has the parameters of that one. */
  private keepFields(
    file: string,
    path: Steps,
    { what, leaves }: RuleEvent,
    written: JsonObject,
    live: JsonObject,
  ): void {
    if (what !== "edited" && what !== "enabled" && what !== "disabled") return;
    const hasOtherAction = leaves.some((leaf) => formatPath(leaf.path) === "action");
    const isOfAction = (field: string | undefined): boolean => hasOtherAction && OF_ACTION.includes(field ?? "");
    for (const { path: field, before } of leaves)
      if (!isOfAction(field[0])) this.edits.put(file, [...path, ...field], before ?? undefined);
    if (!hasOtherAction) return;
    for (const field of OF_ACTION)
      if (written[field] !== undefined || live[field] !== undefined)
        this.edits.put(file, [...path, field], live[field]);
  }
}

function ruleField(ref: string): string {
  return `rule ${ref}`;
}

function sectionPath(section: { readonly key: string; readonly shape: string }, key: string): Steps {
  return section.shape === "map" ? [section.key, key] : [section.key];
}

/** A live rule as an import would declare it. */
function liveRule(
  kind: Drifted["kind"],
  live: Parameters<ReturnType<typeof kindNamed>["declared"]>[0],
  ref: string,
): JsonObject {
  return objects(kindNamed(kind).declared(live), "rules").find((rule) => rule["ref"] === ref) ?? {};
}

/**
 * The refs as they are to be declared: in the live order if a rule was moved, without removed rules, and with added ones
 * behind the rule that they follow live. A rule that is not live yet stays behind the one that it follows.
 */
function arrangedRules(
  declared: readonly string[],
  live: readonly string[],
  events: readonly RuleEvent[],
): readonly string[] {
  const of = (wanted: RuleEvent["what"]): ReadonlySet<string> =>
    new Set(events.filter(({ what }) => what === wanted).map(({ ref }) => ref));
  const [removed, added, moved] = [of("removed"), of("added"), of("moved")];
  const left = declared.filter((ref) => !removed.has(ref));
  const isMoved = moved.size > 0;
  const order = isMoved ? live.filter((ref) => left.includes(ref) || added.has(ref)) : left;
  const [late, before] = isMoved
    ? [left.filter((ref) => !live.includes(ref)), left]
    : [live.filter((ref) => added.has(ref)), live];
  return late.reduce<readonly string[]>((placed, ref) => {
    const earlier = before.slice(0, before.indexOf(ref)).findLast((each) => placed.includes(each));
    const at = earlier === undefined ? 0 : placed.indexOf(earlier) + 1;
    return placed.toSpliced(at, 0, ref);
  }, order);
}

/** Whether an exception names exactly one hostname and nothing else. */
function isForOne({ match }: Policy): boolean {
  const { hostname = [], wildcard, customOriginServer, metadata, label } = match;
  const others = Object.keys(metadata).length + Object.keys(label).length;
  return (
    hostname.length === 1 &&
    !hostname.some(isHostnamePattern) &&
    wildcard === undefined &&
    !customOriginServer &&
    others === 0
  );
}

/** A value as the text of a cell; undefined if a cell cannot hold it. No value is an empty cell. */
function cellText(value: Json | undefined): string | undefined {
  if (value === undefined) return "";
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" && value.trim() === value ? value : undefined;
}
