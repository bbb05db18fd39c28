import { problem } from "../core/diagnostic.ts";
import type { DesiredObject } from "../config/desired.ts";
import type { ZoneId } from "../core/brand.ts";
import { objects } from "../core/decode.ts";
import { defined, equal } from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed, KINDS } from "../kinds/registry.ts";
import type { Change, ChangeTo, Draft, Refused } from "./change.ts";
import { decide, unchanged } from "./decide.ts";
import { digestOf } from "./digest.ts";
import type { PlanInput } from "./inputs.ts";
import { serviceNow } from "./seen.ts";
import { hasRequestLapsed, type Subject } from "./subject.ts";
import { localAddress } from "./targets.ts";
import { writeOf } from "./write.ts";

/**
 * Joins changes that one call applies: the companion's change (`Strategies.companion`) moves into the other one, so
 * that both are one planned step, approved and applied together.
 */
export function joinCompanions(
  input: PlanInput,
  targets: ReadonlyMap<string, DesiredObject>,
  changes: readonly Change[],
): Change[] {
  const joined = changes.filter(isLeading).reduce((all, leading) => join(input, targets, all, leading), [...changes]);
  return joined.map((change) => (isSavedByUnanswered(input, change) ? heldCompanion(change) : change));
}

/** A change whose call also writes the companion. */
type Leading = ChangeTo<"update" | "adopt">;

function isLeading(change: Change): change is Leading {
  return kindNamed(change.kind).companion !== undefined && writeOf(change) === "update";
}

function join(
  input: PlanInput,
  targets: ReadonlyMap<string, DesiredObject>,
  changes: readonly Change[],
  leading: Leading,
): Change[] {
  const subject = companionOf(input, targets, leading);
  if (!subject) return [...changes];
  const own = changes.find(({ kind, key }) => kind === subject.kind.name && key === subject.target?.key);
  if (!subject.target)
    return changes.map((change) => (change === leading ? withoutCompanion(input, leading, subject) : change));
  if (leading.refused) return changes.map((change) => (change === own ? waiting(own, leading) : change));
  // The call writes the companion even if --target or --exclude leaves it out, so its guards apply too.
  const beside = own ?? decideCompanion(input, subject, subject.target);
  const joined = beside ? together(leading, beside, subject) : leading;
  return changes.filter((change) => change !== own).map((change) => (change === leading ? joined : change));
}

/**
 * Whether a call whose response was lost also writes this object, perhaps later. We ask the state, because that step
 * may be missing from this plan or from the YAML.
 */
function isSavedByUnanswered(input: PlanInput, { kind, key, action }: Change): boolean {
  if (action === "forget") return false;
  const { state, live } = input;
  return COMPANIONED.some(({ name, companion }) => {
    if (companion?.kind !== kind || companion.key !== key) return false;
    const step = state?.objects.get(localAddress(name, ""));
    const stands = live.objects.get(name)?.get("")?.values;
    return (
      step?.asked !== undefined && !hasRequestLapsed(step, serviceNow(input)) && !equal(stands ?? {}, step.applied)
    );
  });
}

const COMPANIONED: readonly Kind[] = KINDS.filter(({ companion }) => companion !== undefined);

/**
 * A companion of an unfinished step waits, because the service may not accept it alone yet. It is held, not blocked.
 */
function heldCompanion(change: Change): Change {
  const { id, seen, desired, leaves, refused: _refused, expected: _expected, ...others } = change;
  const {
    hazardDetails: _hazardDetails,
    held: _held,
    with: _with,
    sent: _sent,
    movesTo: _movesTo,
    replaced: _replaced,
    ...shared
  } = others;
  const reason = "it is written together with an unfinished change, whose result shows within an hour";
  const held: Draft = {
    ...shared,
    ...defined({ id, seen, desired }),
    action: "held",
    leaves: [],
    rules: [],
    letGo: [],
    hazards: [],
    held: { leaves, reason },
  };
  return { ...held, digest: digestOf(held) };
}

function companionOf(
  input: PlanInput,
  targets: ReadonlyMap<string, DesiredObject>,
  { kind }: Change,
): Subject | undefined {
  const { companion } = kindNamed(kind);
  if (!companion) return undefined;
  const address = localAddress(companion.kind, companion.key);
  return {
    kind: kindNamed(companion.kind),
    key: companion.key,
    target: targets.get(address),
    prior: input.state?.objects.get(address),
    live: input.live.objects.get(companion.kind)?.get(companion.key),
  };
}

/** The companion's change, or one that does nothing, because the call writes it anyway. */
function decideCompanion(input: PlanInput, subject: Subject, target: DesiredObject): Change | undefined {
  const decided = decide(input, subject);
  if (decided && "change" in decided) return decided.change;
  return subject.live && unchanged(input, subject, target, subject.live);
}

function together(leading: Leading, companion: Change, { kind, live }: Subject): Change {
  const carried: Change =
    live && companion.action !== "create" ? { ...companion, id: live.id, expected: kind.guarded(live, []) } : companion;
  const joined: Change = {
    ...leading,
    ...defined({ refused: companion.refused }),
    rules: companion.rules,
    notes: [...leading.notes, ...companion.notes],
    hazards: [...new Set([...leading.hazards, ...companion.hazards])],
    hazardDetails: [...(leading.hazardDetails ?? []), ...(companion.hazardDetails ?? [])],
    with: carried,
  };
  return { ...joined, digest: digestOf(joined) };
}

/**
 * The companion is not declared. What the call writes in its place is shown, approved and compared like every other
 * change.
 */
function withoutCompanion({ live, desired }: PlanInput, leading: Leading, companion: Subject): Change {
  const kind = kindNamed(leading.kind);
  const before = live.objects.get(leading.kind)?.get(leading.key);
  if (!kind.companion || !before) return leading;
  const replaces = refusalToReplace(companion.kind, desired.id, companion.live);
  if (replaces) return { ...leading, refused: leading.refused ?? replaces };
  const instead = kind.companion.instead(before);
  const leaves = [...leading.leaves, ...instead];
  const notes = [...leading.notes, ...(instead.length === 0 ? [] : [UNDECLARED])];
  const shown: Change = { ...leading, leaves, notes, expected: kind.guarded(before, leaves) };
  const refused = leading.refused ?? (instead.length === 0 ? refusalToEmpty(kind.companion) : undefined);
  return { ...shown, ...defined({ refused }), digest: digestOf(shown) };
}

const UNDECLARED =
  "the YAML does not declare these rules; a later step or change needs them there: once they are live, zoneform import --write adds them";

/** The call would leave the ruleset without rules. */
function refusalToEmpty({ kind, key }: Pick<NonNullable<Kind["companion"]>, "kind" | "key">): Refused {
  const address = localAddress(kind, key);
  const message = `applying it also writes ${address}, which is not declared, and Cloudflare does not say with which rules`;
  const remedy = `declare ${address} with the rules that it should have`;
  return { code: "companion-not-declared", message, remedy };
}

/**
 * Why a call may not replace a live object that is not declared: its rules would be lost silently. Undefined if it has
 * no rules.
 */
export function refusalToReplace(kind: Kind, zone: ZoneId, live: Live | undefined): Refused | undefined {
  const rules = objects(live?.values ?? {}, "rules");
  if (!live || rules.length === 0) return undefined;
  const address = localAddress(kind.name, live.key);
  return {
    code: "companion-not-declared",
    message: `applying it replaces ${address}, which has ${rules.length} live ${rules.length === 1 ? "rule" : "rules"} and is not declared`,
    remedy: `declare it with the rules to keep, or add it to the YAML as it is, with: zoneform import --write ${kind.importId(zone, live)}`,
  };
}

function waiting(change: Change, leading: Change): Change {
  const message = `it is written together with ${leading.address}, which is blocked`;
  return change.refused
    ? change
    : { ...change, refused: problem("waits-for-another", { message }, { remedy: "resolve that first" }) };
}
