import { isObject, type Json, type JsonObject, leaves } from "../../../lib/core/json.ts";
import type { Change } from "../../../lib/plan/change.ts";
import type { HttpRequest } from "../../../lib/service/http.ts";
import type { State, StateObject } from "../../../lib/state/state.ts";
import type { Dice } from "../dice.ts";
import type { Stage } from "../engine-run.ts";
import type { Overwriting } from "../judge-reads.ts";
import type { Ledger, Party } from "../ledger.ts";
import type { OutsideAct } from "../outside.ts";
import type { WafPlan } from "../scenario.ts";
import type { SimService } from "../sim-service.ts";
import type { Edit, Wish, WishedHostname } from "../wish.ts";
import type { Write } from "../writes.ts";
import type { SimZone } from "../zones.ts";

/**
 * Everything that the simulation knows about a kind of resource. Optional members are absent for kinds that need nothing
 * special.
 */
export interface SimKind {
  // What people write into the YAML.

  /** Its part of the zone file. */
  declared(wish: Wish, file: ZoneFile): JsonObject;
  /** A random edit of the YAML. */
  wished(dice: Dice, habits: Habits): Edit;
  /** Whether the YAML claims what another project of the store may claim first. */
  isClaimed?(wish: Wish): boolean;
  /** Several objects may share a key: a replacement is created beside the old one, and an order sent twice makes two. */
  readonly sharesKeys?: true;
  /** People release its objects with `state rm`. */
  readonly isReleasedByHand?: true;

  // What others do to it.

  /** Edits of the object of a change just before it is applied: mostly of exactly the fields that the change writes. */
  ambushed(dice: Dice, change: Change): readonly OutsideAct[];
  /** An edit of an object that an apply has just read; undefined if nobody can make one. */
  editedMeanwhile(dice: Dice, service: SimService, id: string): OutsideAct | undefined;
  /** Edits of which somebody may make one before a job looks for drift. */
  drifting(dice: Dice, names: DriftNames): readonly OutsideAct[];

  // Its requests.

  /** What a request writes; undefined if the request is about another kind. */
  written(request: HttpRequest, names: Ledger["names"]): Omit<Write, "kind"> | undefined;
  /**
   * The id of the object at a path in the zone, empty for the only one or for all of them; undefined if the path is about
   * another kind.
   */
  idAt(path: string): string | undefined;
  /**
   * The object that a write overwrites or deletes, which has to be read before, as `objectAt` names it; undefined if it
   * overwrites nothing. Absent: the written object itself.
   */
  overwritten?(write: Write, request: HttpRequest, change: Change | undefined): string | undefined;
  /** The path in the zone of its list, which may lag. */
  readonly list?: string;
  /** The path in the zone where objects are created. */
  readonly createdAt?: string;
  /** The names of the objects that the answer to a read shows. `isFresh`: the service was not told to show an older list. */
  shown?(service: SimService, request: HttpRequest, isFresh: boolean): readonly string[];
  /** Notes what a run learns from a read besides the names of objects. */
  noteRead?(service: SimService, party: Party, path: string): void;
  /** Whether a request concerns one object, however many the plan changes. */
  isAboutOne?(url: string): boolean;
  /** Whether a write orders a certificate that counts against the limit of the account. */
  ordersCertificate?(request: HttpRequest): boolean;

  // What the emulator really keeps.

  /** Its live objects, for kinds whose objects have ids of their own. */
  live?(service: SimService): readonly LiveName[];
  /** What somebody wrote into an object; undefined if it does not exist. */
  content(service: SimService, id: string): Content | undefined;

  // What the judges compare.

  /** How live differs from the wish. What is blocked may stay as it is. */
  differences(stage: Stage, wish: Wish, seen: Seen): readonly string[];
  /** How a tracked object that the YAML declares differs live both from what was applied and from the YAML. */
  drifted(service: SimService, object: StateObject, wish: Wish, leaf: Leaf): readonly string[];
  /** Why a change that is called done is not; empty if it is. */
  untrue(service: SimService, change: Change): readonly string[];
  /** The ledger knows when somebody last touched an object, and when a run last saw it. */
  readonly isFollowed?: true;
  /** Judges a write before it is carried out. */
  judgeWrite?(judged: Judged, write: Write, request: HttpRequest): void;
  /** Looks at the service before a write. Returns what judges the service after it. */
  watch?(judged: Judged): () => void;
  /** Which fields of the object a write may change. Absent: all of them. */
  owned?(overwriting: Overwriting): (leaf: string) => boolean;
  /**
   * Fields whose value at the last read, with this content, is neither the one that the plan shows nor the wanted one.
   * Absent: what the plan may write is compared with what it read.
   */
  changedSincePlan?(write: Write, change: Change, content: Content): readonly string[];
  /** Whether a field belongs to somebody else, and has to survive even when the object is deleted. */
  isForeign?(leaf: string): boolean;
  /** The answer to a write shows that it overwrote somebody's edit, so a run has to report that. */
  readonly showsLosses?: true;
}

/** What its part of a zone file depends on besides the wish. */
export interface ZoneFile {
  readonly zone: SimZone;
  /** Which hostnames a source declares. */
  readonly isInFile: (hostname: WishedHostname) => boolean;
}

/** What random edits of a seed keep to. */
export interface Habits {
  readonly names: readonly [string, ...string[]];
  /** The subscription of a zone that has managed rules to migrate. */
  readonly waf: WafPlan | undefined;
  /** It is the first session, which only adds. */
  readonly isFirst: boolean;
  /** The YAML declares it no longer. Absent: the kind draws that itself, if it ever happens. */
  readonly isGone?: boolean;
}

/** What somebody edits before a job looks for drift. */
export interface DriftNames {
  readonly hostname: string;
  readonly rule: string;
}

/** A live object. */
export interface LiveName {
  readonly id: string;
  /** Its key in the YAML, unless somebody has given it another one. */
  readonly name: string;
}

/** What somebody wrote into an object, as the service keeps it: by path, values as JSON. Without statuses. */
export type Content = Readonly<Record<string, string>>;

/** What else a judge of live against the wish looks at: the state, if it matters, and what a guard blocks. */
export interface Seen {
  readonly state: State | undefined;
  readonly refused: ReadonlySet<string>;
}

/** Compares a field: what the YAML wants, and what is live; undefined for what is not managed or not there. */
export type Leaf = (path: string, wished: Value, live: Value) => readonly string[];
type Value = string | boolean | undefined;

/** What the judge of a write looks at. */
export interface Judged {
  readonly service: SimService;
  readonly ledger: Ledger;
  readonly party: Party;
  readonly wish: Wish;
  readonly change: Change | undefined;
}

/** What somebody does in the dashboard, at a path in the zone. Returns the result, if there is one. */
export function byDashboard(
  { admin, id }: SimService,
  method: string,
  path: string,
  body?: JsonObject,
): JsonObject | undefined {
  const copy = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  const answer = admin.dashboard(method, `/zones/${id}${path}`, copy);
  const parsed: unknown = answer.body === "" ? undefined : JSON.parse(answer.body);
  return isObject(parsed) && isObject(parsed["result"]) ? parsed["result"] : undefined;
}

/** What a write of an existing object does. */
export function verbOf({ method }: HttpRequest): "change" | "delete" {
  return method === "DELETE" ? "delete" : "change";
}

/** The rest of a path after a prefix; undefined if it has another one. */
export function after(prefix: string, path: string): string | undefined {
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** The body of a request; empty if it has none. */
export function bodyOf({ body }: HttpRequest): JsonObject {
  const parsed: unknown = JSON.parse(body ?? "{}");
  return isObject(parsed) ? parsed : {};
}

/** An object's leaves, in a record. */
export function flat(value: JsonObject): Content {
  const found: [string, string][] = leaves(value).flatMap(({ path, value: leaf }) =>
    isEmpty(leaf) ? [] : [[path.join("."), JSON.stringify(leaf)]],
  );
  return Object.fromEntries(found);
}

function isEmpty(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** The text of a member, if it is one. */
export function textIn(value: JsonObject | null | undefined, name: string): string | undefined {
  const found = value?.[name];
  return typeof found === "string" ? found : undefined;
}

/** Says what is live if a plan wanted another text. */
export function otherThan(wanted: unknown, live: string | undefined, name: string): readonly string[] {
  return typeof wanted === "string" && wanted !== live ? [`${name} is ${live ?? "none"}`] : [];
}

/** The fields that the plan names. */
export function plannedLeaves({ change }: Overwriting): (leaf: string) => boolean {
  const planned = new Set(change?.leaves.map(({ path }) => path.join(".")));
  return (leaf) => planned.has(leaf);
}
