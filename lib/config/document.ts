import type { Position } from "../core/diagnostic.ts";
import { isList, isObject, type Json, type JsonObject } from "../core/json.ts";

/**
 * A file of the project: JSON that matches its schema, typed accordingly (`document-types.ts`). Each map and list in it
 * knows its own position and those of its values. So every step reads plain properties, and every error can name its
 * place.
 */
export interface Document<T> {
  readonly file: string;
  /** Without the parts that are wrong; absent if the file could not be parsed as YAML. */
  readonly value?: T;
  /**
   * Whether it could be read to its end. Parts that the schema refused are removed and known (`isLost`); after any
   * other error, what is missing is unknown.
   */
  readonly isWhole: boolean;
}

/** Finds the line and column of an offset in a file. */
export type Place = (offset: number) => Position;

/**
 * A value of a file and its position. It is stored as offsets, because a file has a million values and few are ever
 * wrong.
 */
export class Located {
  readonly value: Json;
  /** The original text, if YAML does not read it as a string. */
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

  /** The position of its key, for a value of a map. */
  get keyAt(): Position {
    return this.place(this.keyStart);
  }

  /** Another value in the same place. */
  withValue(value: Json): Located {
    if (value === this.value) return this;
    return new Located(value, this.place, this.start, this.keyStart, this.written);
  }
}

/** A string whose parts have positions of their own, as those of an expression. */
export class LocatedText extends Located {
  private readonly positionAt: (unit: number) => Position;

  /** `offsets` has the offset in the file of each UTF-16 unit, and of the end. */
  constructor(value: string, place: Place, start: number, keyStart: number | undefined, offsets: readonly number[]) {
    super(value, place, start, keyStart);
    this.positionAt = (unit) => place(offsets[Math.min(unit, offsets.length - 1)] ?? start);
  }

  /** The position of a UTF-16 unit of the string. */
  within(unit: number): Position {
    return this.positionAt(unit);
  }
}

/** Steps from the top of a document: map keys and list indexes. */
export type Steps = readonly (string | number)[];

interface Places {
  readonly at: Position;
  /** By key, or by index. */
  readonly inside: Readonly<Record<string, Located>>;
  /** The keys of removed parts of a map, or `ITEM` for a list. */
  readonly lost: Lost;
}

/** What was removed from a map or a list because it was wrong. */
export type Lost = readonly string[];

/** Stands for any item of a list. */
export const ITEM = "*";

const NOTHING_LOST: Lost = [];

/** Positions are freed together with their values. */
const PLACES = new WeakMap<object, Places>();

/** Builds a map from its values. No key can reach a prototype: `yaml-tree.ts` refuses those. */
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

/** Builds a list from its values. */
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

/** The position of a map or a list; with a key, the position of its value, or of the whole if the key is missing. */
export function placeOf<T extends object>(of: T, key?: keyof T & (string | number)): Position {
  const { at } = placesOf(of);
  return key === undefined ? at : (memberOf(of, key)?.at ?? at);
}

/** The position of a map's key, or of the map if it has no such key. */
export function keyPlaceOf<T extends object>(of: T, key: keyof T & string): Position {
  return memberOf(of, key)?.keyAt ?? placesOf(of).at;
}

/** The values of a map with their keys, or of a list with their indexes. */
export function membersOf(of: object | undefined): readonly (readonly [string, Located])[] {
  return of === undefined ? [] : Object.entries(placesOf(of).inside);
}

/** The removed members of a map or a list itself, not of its members. */
export function lostOf(of: object): Lost {
  return placesOf(of).lost;
}

/** Whether a value may be missing only because a wrong part was removed. */
export function isLost(of: object | undefined, path: Steps): boolean {
  const [step, ...rest] = path;
  if (of === undefined || step === undefined) return false;
  if (lostOf(of).includes(String(step))) return true;
  const found = memberOf(of, step);
  return isLost(found && inner(found), rest);
}

/** Whether a value may be missing because a part beside it was removed, or because `null` leaves it to the live object. */
export function isLeftOut(of: object | undefined, path: Steps): boolean {
  const [step, ...rest] = path;
  if (of === undefined || step === undefined) return false;
  const found = memberOf(of, step);
  if (found === undefined) return lostOf(of).length > 0;
  return found.value === null || isLeftOut(inner(found), rest);
}

/** The value at a path with its position, or undefined. */
export function find(root: object | undefined, path: Steps): Located | undefined {
  const [step, ...rest] = path;
  if (root === undefined || step === undefined) return undefined;
  const found = memberOf(root, step);
  return found && rest.length > 0 ? find(inner(found), rest) : found;
}

/** The value at a path, or the last one on the way there; undefined for the root itself. */
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
 * The declared values of a map without the given keys. Keys with the value `null` are unmanaged and left out
 * (docs/semantics.md#ownership).
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
