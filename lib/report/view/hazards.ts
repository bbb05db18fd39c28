import type { Address } from "../../core/brand.ts";
import type { Action, Change, ForeignDanger, Plan } from "../../plan/change.ts";
import type { Hazard } from "../../kinds/traits/judged.ts";
import type { KindName } from "../../kinds/kind.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import { foreignRuleText } from "../../plan/watch.ts";
import { HAZARDS } from "../lines/marks.ts";
import { fullName } from "../lines/names.ts";
import { type DangerWords, dangerWords } from "./danger-words.ts";

/** One hazard and what in the plan has it. */
export interface HazardView {
  readonly hazard: Hazard;
  readonly count: number;
  /** The first of them; every group has a name. */
  readonly affected: readonly Affected[];
  /** How many there are besides, of which none is named. */
  readonly others: number;
}

/** Objects for which a hazard means the same; one by itself where it loses foreign rules. */
export interface Affected {
  readonly hazard: Hazard;
  readonly action: Action;
  readonly kind: KindName;
  /** What it means for them. */
  readonly words: DangerWords;
  /** How many objects these are. */
  readonly count: number;
  /** The first of them. */
  readonly addresses: readonly Address[];
  /** A guard refuses it, it is in conflict or held: it does not happen in this run. */
  readonly isStopped: "blocked" | "conflict" | "held" | undefined;
  /** The foreign rules that would go. */
  readonly lostRules: readonly RuleChange[];
}

/** So many objects of each hazard are named; the JSON plan names all of them. */
const MOST_NAMED = 20;

/**
 * The head of every format: each hazard with its count and up to 20 of its objects (docs/semantics.md#hazards), in one line
 * for all for which it means the same. An object that loses foreign rules has a line of its own.
 */
export function hazardViews(plan: Plan): HazardView[] {
  return allHazards(plan).map(({ hazard, having, foreign }) => {
    let room = MOST_NAMED;
    const groups = [...affected(hazard, having), ...foreign.map(foreignAffected)].flatMap((group, index) => {
      // A long list hides nothing that means something else, such as the fallback origin behind all hostnames.
      const addresses = group.addresses.slice(0, Math.max(room, index < MOST_NAMED ? 1 : 0));
      room = Math.max(0, room - addresses.length);
      return addresses.length === 0 ? [] : [{ ...group, addresses }];
    });
    const shown = groups.reduce((sum, { count }) => sum + count, 0);
    return {
      hazard,
      count: having.length + foreign.length,
      affected: groups,
      others: having.length + foreign.length - shown,
    };
  });
}

/** Each hazard that the plan has, with everything that has it, worked out or seen, and the foreign rules that have it. */
export function allHazards(plan: Plan): {
  readonly hazard: Hazard;
  readonly having: readonly Change[];
  readonly foreign: readonly ForeignDanger[];
}[] {
  const changes = plan.zones.flatMap((zone) => zone.changes).filter(isDangerous);
  const dangers = plan.zones.flatMap(({ watch }) => watch?.dangers ?? []);
  return HAZARDS.map((hazard) => ({
    hazard,
    having: changes.filter((change) => change.hazards.includes(hazard) || reasonSeen(hazard, change) !== undefined),
    foreign: hazard === "weakens-protection" ? dangers : [],
  })).filter(({ having, foreign }) => having.length + foreign.length > 0);
}

/** A foreign rule that is live: no change of the plan. */
function foreignAffected(danger: ForeignDanger): Affected {
  const words = { one: "", many: "", details: [], subject: foreignSentence(danger) };
  const { address } = danger;
  return {
    hazard: "weakens-protection",
    action: "no-op",
    kind: "ruleset",
    words,
    count: 1,
    addresses: [address],
    isStopped: undefined,
    lostRules: [],
  };
}

/** A foreign rule by what it does: `ruleset http_ratelimit: #1 skips every request past all remaining rules: …`. */
export function foreignSentence(danger: ForeignDanger): string {
  return `${fullName(danger.address)}: ${foreignRuleText(danger)}`;
}

function isDangerous({ hazards, observed = [] }: Change): boolean {
  return hazards.length + observed.length > 0;
}

/** What was seen, where nothing but that makes the change dangerous; undefined where the plan alone says so. */
export function reasonSeen(hazard: Hazard, { hazards, observed = [] }: Change): string | undefined {
  return hazards.includes(hazard) ? undefined : observed.find((each) => each.hazard === hazard)?.because;
}

function affected(hazard: Hazard, changes: readonly Change[]): Affected[] {
  const groups = new Map<string, { first: Change; words: DangerWords; addresses: Address[] }>();
  for (const change of changes) {
    const words = dangerWords(hazard, change, reasonSeen(hazard, change));
    const shared = JSON.stringify([
      change.kind,
      change.action,
      stopOf(change) ?? null,
      words.one,
      words.subject ?? null,
      words.details,
    ]);
    const key = hazard === "loses-foreign-rule" || words.subject !== undefined ? change.address : shared;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: change, words, addresses: [change.address] });
    else group.addresses.push(change.address);
  }
  return [...groups.values()].map(({ first, words, addresses }) => ({
    hazard,
    action: first.action,
    kind: first.kind,
    words,
    count: addresses.length,
    addresses,
    isStopped: stopOf(first),
    lostRules: hazard === "loses-foreign-rule" ? first.rules.filter(isLost) : [],
  }));
}

function stopOf(change: Change): Affected["isStopped"] {
  if (change.refused !== undefined) return change.refused.contested === undefined ? "blocked" : "conflict";
  return change.action === "held" ? "held" : undefined;
}

function isLost(rule: RuleChange): boolean {
  return rule.foreign === true && rule.action === "remove";
}
