import type { Dice } from "./dice.ts";
import { PACK_AUTHORITIES, PACKS } from "./kinds/certificate-pack.ts";
import { TIERS } from "./kinds/custom-hostname.ts";
import type { OutsideAct } from "./outside.ts";
import type { Moving, Place, Run, Scenario, Session, StateCommand, Trouble } from "./scenario.ts";
import type { Edit, WishedHostname } from "./wish.ts";
import type { Side } from "./zones.ts";

/** Hostnames of the second zone. */
const NAMES = ["n0.customer.net", "n2.customer.net", "n3.customer.net"] as const;
/** Hostnames whose branding the YAML always declares; a moved entry never does. */
const BRANDED = /[147]|^own/;
const HOUR_MILLISECONDS = 3_600_000;

/** What people do in a seed with several zones, or with moves in one. */
interface Habits {
  readonly hasNeighbour: boolean;
  readonly hasMetadata: boolean;
  readonly editRate: number;
  readonly moveRate: number;
  readonly outsideRate: number;
  readonly commandRate: number;
  /** Hostnames of the main zone that may move. */
  readonly names: readonly string[];
}

/**
 * Adds to some scenarios a second zone, hostnames that move, and packs that move to another address in the state; with
 * dice of its own, so that all other seeds stay as they were.
 */
export function neighboured(dice: Dice, scenario: Scenario, names: readonly string[]): Scenario {
  const hasNeighbour = dice.chance(1 / 6);
  const movable = names.filter((name) => !BRANDED.test(name));
  const habits: Habits = {
    hasNeighbour,
    hasMetadata: scenario.waf !== "business",
    editRate: hasNeighbour ? 0.6 : 0,
    moveRate: hasNeighbour ? dice.pick([0, 0.4, 0.7]) : dice.chance(0.1) ? 0.4 : 0,
    outsideRate: hasNeighbour ? dice.pick([0, 0, 0.5]) : 0,
    commandRate: hasNeighbour ? dice.pick([0, 0, 0.3]) : 0,
    names: movable,
  };
  const renameRate = hasPacks(scenario) ? dice.pick([0, 0.6]) : 0;
  const sessions = scenario.sessions.map((session, index) => {
    const more = { ...session, ...additions(dice, habits, session, index === 0) };
    return index > 0 && dice.chance(renameRate) ? { ...more, ...renaming(dice, more) } : more;
  });
  if (!hasNeighbour) return { ...scenario, sessions };
  return {
    ...scenario,
    sessions,
    hasNeighbour: true,
    ...(dice.chance(0.5) ? { trouble: troubleOf(dice, habits) } : {}),
  };
}

/**
 * Whether packs come and go, and no run is undone: undoing a replacement would lead to hosts that do not match the
 * address.
 */
function hasPacks({ sessions }: Scenario): boolean {
  return sessions.some(({ edits }) => edits.some(({ edit }) => edit === "pack")) && sessions.every(({ undo }) => !undo);
}

function troubleOf(dice: Dice, { names, hasMetadata }: Habits): Trouble {
  return {
    side: dice.pick(["main", "next"]),
    trouble: dice.pick(["locked", "outage"]),
    edits: names.slice(0, 2).map((name) => ({ edit: "hostname", name, as: hostnameOf(dice, hasMetadata) })),
    editsBeside: NAMES.slice(0, 2).map((name) => ({ edit: "hostname", name, as: hostnameOf(dice, true) })),
  };
}

function additions(dice: Dice, habits: Habits, session: Session, isFirst: boolean): Partial<Session> {
  const { editRate, moveRate, outsideRate, commandRate } = habits;
  const editsBeside = dice.chance(isFirst ? editRate * 2 : editRate) ? editsOf(dice, isFirst) : [];
  const moves = !isFirst && dice.chance(moveRate) ? movesOf(dice, habits) : [];
  const acts = dice.chance(outsideRate) ? actsOf(dice, habits) : [];
  const commands = dice.chance(commandRate) ? [commandOf(dice)] : [];
  return {
    ...(editsBeside.length > 0 ? { editsBeside } : {}),
    ...(moves.length > 0 ? { moves } : {}),
    ...(acts.length > 0 ? { run: { ...session.run, outside: [...session.run.outside, ...acts] } } : {}),
    ...(commands.length > 0 ? { commands: [...(session.commands ?? []), ...commands] } : {}),
    // A moving hostname is deleted when its successor serves, which takes a while.
    ...(moveRate > 0 && dice.chance(0.3) ? { waitMilliseconds: HOUR_MILLISECONDS } : {}),
  };
}

function editsOf(dice: Dice, isFirst: boolean): readonly Edit[] {
  return Array.from({ length: 1 + dice.below(2) }, (): Edit => {
    const isGone = !isFirst && dice.chance(0.4);
    return { edit: "hostname", name: dice.pick(NAMES), as: isGone ? null : hostnameOf(dice, true) };
  });
}

/** Without an origin: the zones have different ones. */
function hostnameOf(dice: Dice, hasMetadata: boolean): WishedHostname {
  return {
    tls: dice.pick(["none", "1.0", "1.2"] as const),
    ...(hasMetadata && dice.chance(0.6) ? { tier: dice.pick(TIERS) } : {}),
  };
}

function movesOf(dice: Dice, habits: Habits): readonly Moving[] {
  const from = placeOf(dice, habits);
  if (!from) return [];
  const isHere = !habits.hasNeighbour || dice.chance(0.2);
  const side: Side = isHere === (from.side === "main") ? "main" : "next";
  const isRenamed = isHere || dice.chance(0.2);
  const name = isRenamed ? `new-${from.name.replace(/^new-/, "")}` : from.name;
  if (isHere && name === from.name) return [];
  return [{ from, to: { side, name }, as: hostnameOf(dice, side === "next" || habits.hasMetadata) }];
}

/** Any hostname that may be declared by now, also one that has moved before. */
function placeOf(dice: Dice, { hasNeighbour, names }: Habits): Place | undefined {
  const side: Side = hasNeighbour && dice.chance(0.4) ? "next" : "main";
  const all = hasNeighbour ? [...names, ...(side === "next" ? NAMES : [])] : names;
  const name = all[dice.below(all.length)];
  if (name === undefined) return undefined;
  return { side, name: dice.chance(0.1) ? `new-${name}` : name };
}

function actsOf(dice: Dice, { names }: Habits): Run["outside"] {
  return Array.from({ length: 1 + dice.below(2) }, () => {
    const name = [...NAMES, ...names, "foreign0.customer.net"][dice.below(NAMES.length + names.length + 1)] ?? NAMES[0];
    const tier = dice.pick(TIERS);
    const act: OutsideAct = dice.pick<OutsideAct>([
      { act: "create", name, tier },
      { act: "edit", name, tier },
      { act: "edit-note", name, note: `note ${dice.below(100)}` },
      { act: "delete", name },
    ]);
    return { request: dice.below(24), act, isBeside: true as const };
  });
}

function commandOf(dice: Dice): StateCommand {
  return {
    command: dice.pick(["rm", "pull", "push", "push-older", "repair"] as const),
    isBeside: true,
    dice: dice.next(),
    ...endingOf(dice, 0.4),
  };
}

function endingOf(dice: Dice, rate: number): Pick<StateCommand, "ending"> {
  return dice.chance(rate)
    ? { ending: { at: 1 + dice.below(24), moment: dice.pick(["before", "half", "after"] as const) } }
    : {};
}

/** The hosts of a pack change, and the person tells the state that it is the same pack. */
function renaming(dice: Dice, { edits, commands = [] }: Session): Partial<Session> {
  const [from, to] = dice.chance(0.5) ? PACKS : PACKS.toReversed();
  if (from === undefined || to === undefined) return {};
  const renamed: readonly Edit[] = [
    { edit: "pack", hosts: from, as: null },
    { edit: "pack", hosts: to, as: dice.pick(PACK_AUTHORITIES) },
  ];
  const command: StateCommand = { command: "mv", keys: [from, to], dice: dice.next(), ...endingOf(dice, 0.4) };
  return { edits: [...edits, ...renamed], commands: [...commands, command] };
}
