import type { Position } from "../core/diagnostic.ts";
import { isList, isObject, type Json, type JsonObject } from "../core/json.ts";

/**
 * A file of the project: JSON that its schema holds for, typed as the schema says (`document-types.ts`). Each map and
 * each list in it knows where it stands, and where each of its values does, so that every step reads plain properties
 * and every error still names its place.
 */
export interface Document<T> {
  readonly file: string;
  /** Without the parts that are wrong; absent where the file could not be read as YAML. */
  readonly value?: T;
  /**
   * Whether it could be read to its end. What the schema refused was taken out, and is known (`isLost`); after other errors
   * nobody can say what is missing.
   */
  readonly isWhole: boolean;
}

/** Finds the line and the column of an offset in a file. */
export type Place = (offset: number) => Position;

/** A value of a file, and where it stands: as offsets, because a file has a million values, and few of them are ever wrong. */
export class Located {
  readonly value: Json;
  /** As it is written, where YAML reads something else than a text. */
  readonly written: string | undefined;
  private readonly place: Place;
  private readonly start: number;
  private readonly keyStart: number;

  constructor(value: Json, place: Place, start: number, keyStart: number = start, written?: string) {
    this.value = value;
    this.written = written;
    this.place = place;
    this.start = start;
    this.keyStart = keyStart;
  }

  get at(): Position {
    return this.place(this.start);
  }

  /** Where its key stands, for a value of a map. */
  get keyAt(): Position {
    return this.place(this.keyStart);
  }

  /** Another value in the same place. */
  withValue(value: Json): Located {
    return new Located(value, this.place, this.start, this.keyStart, this.written);
  }
}

/** Steps from the top of a document: keys of maps and indexes of lists. */
export type Steps = readonly (string | number)[];

interface Places {
  readonly at: Position;
  /** By key, or by index. */
  readonly inside: Readonly<Record<string, Located>>;
  /** The keys of the parts that were taken out of a map, or `ITEM` for a list. */
  readonly lost: Lost;
}

/** What was taken out of a map or a list because it was wrong. */
export type Lost = readonly string[];

/** Stands for any item of a list. */
export const ITEM = "*";

const NOTHING_LOST: Lost = [];

/** Places are freed together with their values. */
const PLACES = new WeakMap<object, Places>();

/** Makes a map of its values. The keys are none that reach into a prototype: `yaml-tree.ts` refuses those. */
export function mapOf(
  members: Iterable<readonly [string, Located]>,
  at: Position,
  lost: Lost = NOTHING_LOST,
): JsonObject {
  const map: Record<string, Json> = {};
  const inside: Record<string, Located> = {};
  for (const [key, member] of members) {
    map[key] = member.value;
    inside[key] = member;
  }
  PLACES.set(map, { at, inside, lost });
  return map;
}

/** Makes a list of its values. */
export function listOf(items: Iterable<Located>, at: Position, lost: Lost = NOTHING_LOST): readonly Json[] {
  const list: Json[] = [];
  const inside: Record<string, Located> = {};
  for (const item of items) {
    inside[list.length] = item;
    list.push(item.value);
  }
  PLACES.set(list, { at, inside, lost });
  return list;
}

/** Where a map or a list stands; with a key, where the value under it does, or the whole where there is none. */
export function placeOf<T extends object>(of: T, key?: keyof T & (string | number)): Position {
  const { at } = placesOf(of);
  return key === undefined ? at : (memberOf(of, key)?.at ?? at);
}

/** Where a key of a map stands, or the map where it has no such key. */
export function keyPlaceOf<T extends object>(of: T, key: keyof T & string): Position {
  return memberOf(of, key)?.keyAt ?? placesOf(of).at;
}

/** The values of a map with their keys, or of a list with their indexes. */
export function membersOf(of: object | undefined): readonly (readonly [string, Located])[] {
  return of === undefined ? [] : Object.entries(placesOf(of).inside);
}

/** What was taken out of a map or a list itself, not out of what is in it. */
export function lostOf(of: object): Lost {
  return placesOf(of).lost;
}

/** Whether what is absent at the end of a path may only be absent because a wrong part was taken out. */
export function isLost(of: object | undefined, path: Steps): boolean {
  const [step, ...rest] = path;
  if (of === undefined || step === undefined) return false;
  if (lostOf(of).includes(String(step))) return true;
  const found = memberOf(of, step);
  return isLost(found && inner(found), rest);
}

/** The value at the end of a path with its place, or undefined. */
export function find(root: object | undefined, path: Steps): Located | undefined {
  const [step, ...rest] = path;
  if (root === undefined || step === undefined) return undefined;
  const found = memberOf(root, step);
  return found && rest.length > 0 ? find(inner(found), rest) : found;
}

/** The value at the end of a path; where that leads nowhere, the last one on the way, or undefined for the root itself. */
export function nearest(root: object, path: Steps): Located | undefined {
  const [step, ...rest] = path;
  const found = step === undefined ? undefined : memberOf(root, step);
  const within = found && inner(found);
  return (within && nearest(within, rest)) ?? found;
}

function inner({ value }: Located): object | undefined {
  return isObject(value) || isList(value) ? value : undefined;
}

function memberOf(of: object, key: string | number): Located | undefined {
  const { inside } = placesOf(of);
  const isStep = Array.isArray(of) === (typeof key === "number");
  return isStep && Object.hasOwn(inside, key) ? inside[key] : undefined;
}

function placesOf(of: object): Places {
  const places = PLACES.get(of);
  if (!places) throw new Error("only maps and lists that were read from a file have a place in it");
  return places;
}

/**
 * The declared values of a map, without the keys that are named: a key whose value is `null` is nobody's business and left
 * out (docs/semantics.md#ownership).
 */
export function declaredValues(map: JsonObject | undefined, without: readonly string[] = []): JsonObject {
  const declared: Record<string, Json> = {};
  for (const [key, value] of Object.entries(map ?? {})) {
    if (value !== null && !without.includes(key)) declared[key] = declaredValue(value);
  }
  return declared;
}

function declaredValue(value: Json): Json {
  if (isList(value)) return value.map(declaredValue);
  return isObject(value) ? declaredValues(value) : value;
}
