import { type Codec, record, records, withDefault } from "../core/codec.ts";
import { text, wholeNumber } from "../core/decode.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import {
  ARRIVAL_MILLISECONDS,
  BLOCK_LIFE_MILLISECONDS,
  type Draw,
  type Granted,
  type Used,
} from "../core/shared-budget.ts";

/** Places that were used up, and when at the latest. Times are ms since the epoch, by the clock of the store. */
interface Use {
  readonly at: number;
  readonly places: number;
}

/** The places of one runner. */
interface Block {
  readonly runner: string;
  readonly places: number;
  /** No call with one of them can arrive after this. */
  readonly until: number;
  /** When the runner drew last. */
  readonly drawn: number;
  /** How many places it had reported as used up by then. */
  readonly reported: number;
}

/** A runner that was told to wait. */
interface Waiting {
  readonly runner: string;
  readonly places: number;
  /** After this, it has missed its turn. */
  readonly until: number;
}

/** What a store keeps of one limit of a credential. Those who wait stand in the order in which they came. */
interface Ledger {
  readonly uses: readonly Use[];
  readonly blocks: readonly Block[];
  readonly waiting: readonly Waiting[];
}

/** No call with places that were drawn now can arrive later. */
const LONGEST_BLOCK_MILLISECONDS = BLOCK_LIFE_MILLISECONDS + ARRIVAL_MILLISECONDS;

/** Uses so close to each other are kept as one, the last of them: a ledger stays small. */
const GRAINS_PER_WINDOW = 100;

/** Others may give places back before they must, so whoever waits looks again. */
const LOOK_AGAIN_MILLISECONDS = 5000;

/** How late somebody may come back and still have their turn. */
const LATE_MILLISECONDS = 5000;

/**
 * The ledgers of a credential, by limit, after a runner has drawn from them, and what the runner gets. If the runner says
 * the same again, it is as if it had said it once.
 */
export function drawAll(
  ledgers: JsonObject,
  runner: string,
  draws: readonly Draw[],
  now: number,
): { readonly ledgers: JsonObject; readonly granted: readonly Granted[] } {
  const granted: Granted[] = [];
  let after = ledgers;
  for (const draw of draws) {
    const found = after[draw.limit];
    const drawn = drawFrom(isObject(found) ? LEDGER.decode(found) : EMPTY_LEDGER, runner, draw, now);
    after = { ...after, [draw.limit]: LEDGER.encode(drawn.ledger) };
    granted.push(drawn.granted);
  }
  return { ledgers: after, granted };
}

function drawFrom(
  before: Ledger,
  runner: string,
  draw: Draw,
  now: number,
): { readonly ledger: Ledger; readonly granted: Granted } {
  const own = before.blocks.find((block) => block.runner === runner);
  const others = before.blocks
    .filter((block) => block.runner !== runner && now <= block.until + draw.windowMilliseconds)
    .map((block) => endingBy(block, now + LONGEST_BLOCK_MILLISECONDS));
  const uses = merged([...before.uses, ...newUses(draw, own, now)], draw, now);
  const longestWait = Math.max(draw.windowMilliseconds + 1, LOOK_AGAIN_MILLISECONDS);
  const inLine = before.waiting
    .filter((turn) => turn.until > now)
    .map((turn) => endingBy(turn, now + longestWait + LATE_MILLISECONDS));
  const granted = grant({ uses, others, inLine }, runner, draw, now);
  const places = draw.held + granted.places;
  const block: Block = {
    runner,
    places,
    until: now + LONGEST_BLOCK_MILLISECONDS,
    drawn: now,
    reported: Math.max(own?.reported ?? 0, draw.reported + sumOf(draw.used)),
  };
  return {
    ledger: { uses, blocks: [...others, block], waiting: lineAfter(inLine, runner, draw, granted, now) },
    granted,
  };
}

/** The same with an end that the store could have set by now: its clock may have been set back since it did. */
function endingBy<T extends { readonly until: number }>(what: T, latest: number): T {
  return { ...what, until: Math.min(what.until, latest) };
}

/** What the runner used up since it drew last. What it reports for the second time is there already. */
function newUses({ reported, used }: Draw, own: Block | undefined, now: number): readonly Use[] {
  let known = Math.max(0, (own?.reported ?? 0) - reported);
  return used.flatMap(({ places, agoMilliseconds }: Used): readonly Use[] => {
    const fresh = places - Math.min(known, places);
    known -= places - fresh;
    // It would have said so before: however its clock jumps, a use is not dated back.
    const at = Math.max(now - Math.max(0, agoMilliseconds), own?.drawn ?? 0);
    return fresh === 0 ? [] : [{ at, places: fresh }];
  });
}

/** The uses that still count, oldest first. */
function merged(
  uses: readonly Use[],
  { windowMilliseconds, restartedMilliseconds }: Draw,
  now: number,
): readonly Use[] {
  const grain = windowMilliseconds / GRAINS_PER_WINDOW;
  const begin = Math.max(now - windowMilliseconds, now - (restartedMilliseconds ?? windowMilliseconds));
  const found = new Map<number, number>();
  for (const { at, places } of uses) {
    if (at < begin) continue;
    // The clock of the store may have been set back.
    const kept = Math.min(Math.ceil(Math.ceil(at / grain) * grain), now);
    found.set(kept, (found.get(kept) ?? 0) + places);
  }
  return [...found].map(([at, places]) => ({ at, places })).sort((left, right) => left.at - right.at);
}

/** What counts besides the draw. */
interface Counted {
  readonly uses: readonly Use[];
  readonly others: readonly Block[];
  readonly inLine: readonly Waiting[];
}

function grant({ uses, others, inLine }: Counted, runner: string, draw: Draw, now: number): Granted {
  const { most, held, needed, wanted, windowMilliseconds } = draw;
  if (needed === 0) return { places: 0, waitMilliseconds: 0 };
  const place = inLine.findIndex((each) => each.runner === runner);
  const ahead = place === -1 ? inLine : inLine.slice(0, place);
  const free = most - sumOf(uses) - sumOf(others) - held - sumOf(ahead);
  const isAlone = inLine.every((each) => each.runner === runner);
  // Nobody gets more than they need while others wait.
  if (free >= needed) return { places: isAlone ? Math.min(wanted, free) : needed, waitMilliseconds: 0 };
  const enough = whenLapsed({ uses, others }, needed - free);
  const wait = enough === undefined ? LOOK_AGAIN_MILLISECONDS : enough + windowMilliseconds + 1 - now;
  const mayBeSooner = others.some(({ places }) => places > 0) || ahead.length > 0;
  return { places: 0, waitMilliseconds: mayBeSooner ? Math.min(wait, LOOK_AGAIN_MILLISECONDS) : wait };
}

/** The moment of the last use that has to leave the window until this many places are free, if nobody gives any back. */
function whenLapsed({ uses, others }: Omit<Counted, "inLine">, missing: number): number | undefined {
  const lapses = [...uses, ...others.map(({ until, places }) => ({ at: until, places }))];
  let left = missing;
  for (const { at, places } of lapses.sort((one, other) => one.at - other.at)) {
    left -= places;
    if (left <= 0) return at;
  }
  return undefined;
}

/** Those who wait, after a draw: who got something leaves, who did not keeps its turn or comes last. */
function lineAfter(
  inLine: readonly Waiting[],
  runner: string,
  { needed }: Draw,
  { places, waitMilliseconds }: Granted,
  now: number,
): readonly Waiting[] {
  if (needed === 0) return inLine;
  if (places > 0) return inLine.filter((each) => each.runner !== runner);
  const turn: Waiting = { runner, places: needed, until: now + waitMilliseconds + LATE_MILLISECONDS };
  return inLine.some((each) => each.runner === runner)
    ? inLine.map((each) => (each.runner === runner ? turn : each))
    : [...inLine, turn];
}

function sumOf(parts: readonly { readonly places: number }[]): number {
  return parts.reduce((sum, { places }) => sum + places, 0);
}

const USE: Codec<Use> = record<Use>({ at: wholeNumber, places: wholeNumber });
const BLOCK: Codec<Block> = record<Block>({
  runner: text,
  places: wholeNumber,
  until: wholeNumber,
  drawn: wholeNumber,
  reported: wholeNumber,
});
const WAITING: Codec<Waiting> = record<Waiting>({ runner: text, places: wholeNumber, until: wholeNumber });

const EMPTY_LEDGER: Ledger = { uses: [], blocks: [], waiting: [] };

/** A ledger as a store keeps it. */
const LEDGER: Codec<Ledger> = record<Ledger>({
  uses: withDefault(records(USE), []),
  blocks: withDefault(records(BLOCK), []),
  waiting: withDefault(records(WAITING), []),
});
