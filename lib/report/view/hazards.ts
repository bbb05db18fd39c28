import type { Address } from "../../core/brand.ts";
import { formatPosition, type Origin } from "../../core/diagnostic.ts";
import { defined, equal, type JsonObject } from "../../core/json.ts";
import { ENTRY_POINTS } from "../../kinds/registry.ts";
import type { Change, ForeignDanger, Plan } from "../../plan/change.ts";
import { both, type Hazard, HAZARDS } from "../../kinds/hazards.ts";
import type { KindName } from "../../kinds/kind.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import { foreignRuleText } from "../../plan/watch.ts";
import { fullName } from "../lines/words.ts";
import { type DangerWords, plannedWords } from "./danger-words.ts";

/** One hazard, and the objects of the plan that have it. */
export interface HazardView {
  readonly hazard: Hazard;
  readonly count: number;
  /** All of them; the groups that a short report leaves out come last. */
  readonly affected: readonly Affected[];
  /** How many objects a short report does not show. */
  readonly others: number;
}

/** Objects for which a hazard means the same. An object that loses foreign rules stands alone. */
export interface Affected {
  readonly hazard: Hazard;
  readonly kind: KindName;
  /** What it means for them. */
  readonly words: DangerWords;
  /** All of them. */
  readonly addresses: readonly Address[];
  /** How many of them a short report names; 0: it leaves out the group. */
  readonly named: number;
  /** It is blocked, in conflict or held, so it does not happen in this run. */
  readonly isStopped: Dangerous["isStopped"];
  /** The policy or exception that decides the dangerous value, if it is one. */
  readonly decider?: Origin;
  /** The foreign rules that would be removed. */
  readonly lostRules: readonly RuleChange[];
}

/** An object in danger, through a change or through a foreign edit. */
export interface Dangerous {
  readonly address: Address;
  readonly kind: KindName;
  readonly hazards: readonly Hazard[];
  /** What a hazard means for it. */
  readonly words: (hazard: Hazard) => DangerWords;
  readonly isStopped?: "blocked" | "conflict" | "held" | undefined;
  /** The policy or exception that decides the value that a hazard concerns. */
  readonly decider?: (hazard: Hazard) => Origin | undefined;
  readonly lostRules?: readonly RuleChange[];
}

/** How many objects of a hazard to name before counting the rest; the JSON names all of them. */
const MOST_NAMED = 20;

/** What a plan endangers, change by change, and the foreign rules that it found. */
export function dangersOf({ zones }: Pick<Plan, "zones">): readonly Dangerous[] {
  const foreign = zones.flatMap(({ watch }) => watch?.dangers ?? []);
  return [...zones.flatMap(({ changes }) => changes).map(asDangerous), ...foreign.map(foreignDangerous)];
}

/** What a hazard means for one object, in a sentence: `shop.elm.example goes offline (blocked)`. */
export function dangerText({ address, words, isStopped }: Dangerous, hazard: Hazard): string {
  const { subject = fullName(address), one, details = [] } = words(hazard);
  const stop = isStopped === undefined ? "" : ` (${isStopped})`;
  return `${subject}${one}${details.length === 0 ? "" : ` ${details.join("; ")}`}${stop}`;
}

/** A foreign rule by what it does: `ruleset http_ratelimit: #1 skips every request past all remaining rules: …`. */
export function foreignDangerous(danger: ForeignDanger): Dangerous {
  const { address, hazards } = danger;
  const subject = `${fullName(address)}: ${foreignRuleText(danger)}`;
  return { address, kind: ENTRY_POINTS.name, hazards, words: () => ({ ...both(""), subject }) };
}

/**
 * The top of every format: each hazard, worst first, with its count, all of its rules and up to 20 of its other objects
 * (docs/semantics.md#hazards). Objects for which it means the same share one line. An object that loses foreign rules
 * has a line of its own.
 */
export function viewHazards(objects: readonly Dangerous[]): HazardView[] {
  return byHazard(objects).map(({ hazard, having }) => {
    let room = MOST_NAMED;
    const groups = affected(hazard, having).map((group, index) => {
      // A long list must not hide an object for which the hazard means something else, such as the fallback origin
      // behind all hostnames. A rule is always named, because an approval records it as reviewed.
      const isNamed = index < MOST_NAMED || group.words.subject !== undefined;
      const named = Math.min(group.addresses.length, Math.max(room, isNamed ? 1 : 0));
      room = Math.max(0, room - named);
      return { ...group, named };
    });
    const [shown, beyond] = [groups.filter(({ named }) => named > 0), groups.filter(({ named }) => named === 0)];
    const others = beyond.reduce((sum, { addresses }) => sum + addresses.length, 0);
    return { hazard, count: having.length, affected: [...shown, ...beyond], others };
  });
}

/** Each hazard, worst first, with the objects that have it. */
function byHazard<T extends Pick<Dangerous, "hazards">>(
  objects: readonly T[],
): readonly { readonly hazard: Hazard; readonly having: readonly T[] }[] {
  const dangerous = objects.filter(({ hazards }) => hazards.length > 0);
  return HAZARDS.map((hazard) => ({
    hazard,
    having: dangerous.filter(({ hazards }) => hazards.includes(hazard)),
  })).filter(({ having }) => having.length > 0);
}

/** For programs: each hazard with its count and all addresses. */
export function hazardsDocument(objects: readonly Pick<Dangerous, "address" | "hazards">[]): JsonObject[] {
  return byHazard(objects).map(({ hazard, having }) => ({
    hazard,
    count: having.length,
    addresses: [...new Set(having.map(({ address }) => address))],
  }));
}

function asDangerous(change: Change): Dangerous {
  const { address, kind, hazards, observed = [] } = change;
  return {
    address,
    kind,
    hazards: [...hazards, ...observed.map(({ hazard }) => hazard)],
    words: (hazard) => plannedWords(hazard, change),
    isStopped: stopOf(change),
    decider: (hazard) => deciderOf(hazard, change),
    lostRules: lostRules(change),
  };
}

function deciderOf(hazard: Hazard, { hazardDetails = [], leaves }: Change): Origin | undefined {
  const paths = hazardDetails.find((each) => each.hazard === hazard)?.paths ?? [];
  const origins = leaves.flatMap(({ path, origin }) =>
    origin?.isShared && paths.some((each) => equal(each, path)) ? [origin] : [],
  );
  const [first, ...others] = origins;
  const isOne = first !== undefined && others.every(({ at }) => formatPosition(at) === formatPosition(first.at));
  return isOne ? first : undefined;
}

function affected(hazard: Hazard, objects: readonly Dangerous[]): Omit<Affected, "named">[] {
  const groups = new Map<
    string,
    { first: Dangerous; words: DangerWords; decider: Origin | undefined; addresses: Address[] }
  >();
  for (const object of objects) {
    const words = object.words(hazard);
    const decider = object.decider?.(hazard);
    const { one, subject, details } = words;
    const place = decider === undefined ? null : formatPosition(decider.at);
    const shared = JSON.stringify([object.kind, object.isStopped ?? null, one, subject ?? null, details ?? [], place]);
    const isAlone = hazard === "loses-foreign-rule" || subject !== undefined;
    const key = isAlone ? JSON.stringify([object.address, subject ?? null]) : shared;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: object, words, decider, addresses: [object.address] });
    else group.addresses.push(object.address);
  }
  return [...groups.values()].map(({ first, words, decider, addresses }) => ({
    hazard,
    kind: first.kind,
    words,
    addresses,
    isStopped: first.isStopped,
    ...defined({ decider }),
    lostRules: hazard === "loses-foreign-rule" ? (first.lostRules ?? []) : [],
  }));
}

function stopOf(change: Change): Dangerous["isStopped"] {
  if (change.refused !== undefined) return change.refused.contested === undefined ? "blocked" : "conflict";
  return change.action === "held" ? "held" : undefined;
}

/** The foreign rules that a change removes; of a part of a change, only its own. */
function lostRules({ rules, hazardDetails = [] }: Change): readonly RuleChange[] {
  const refs = hazardDetails.find(({ hazard }) => hazard === "loses-foreign-rule")?.rules;
  return rules.filter(
    ({ foreign, action, ref }) => foreign === true && action === "remove" && (refs === undefined || refs.includes(ref)),
  );
}
