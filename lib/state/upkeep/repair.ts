import { decodeOr } from "../../core/decode.ts";
import { parseObject } from "../../core/json.ts";
import type { ZoneId } from "../../core/brand.ts";
import { StateError } from "../error.ts";
import {
  type Binding,
  decodeBinding,
  encodeBinding,
  encodeRecord,
  note,
  readJournal,
  type Traces,
  verifiedCrc,
} from "../journal.ts";
import { type JournalRecord, JOURNAL_RECORD } from "../journal-record.ts";
import { loadState } from "../load.ts";
import { condenseObservations, readObservations } from "../observations.ts";
import { isOlderState } from "../trail.ts";
import type { ProjectStore } from "../zone/store.ts";
import { checkDamaged, newestCopy } from "./copies.ts";
import { KEPT, noCopy, readableState, type RepairStep, restoring } from "./restore.ts";
import { checksum } from "../../core/digest.ts";

/**
 * The next repairable fault of a zone's state; undefined if there is none. Call it again after each step: a damaged
 * journal hides faults of the state. Throws `StateError` for a fault that cannot be repaired.
 */
export async function nextRepair(store: ProjectStore, zone: ZoneId): Promise<RepairStep | undefined> {
  const ofJournal = await findFault(() => store.view(zone).then((view) => readJournal(view)));
  if (ofJournal) {
    await checkDamaged(store, zone, "journal", ofJournal);
    return journalStep(store, zone);
  }
  const fault = await findFault(() => loadState(store, zone));
  if (!fault) return observationsStep(store, zone);
  const isOlder = isOlderState(fault);
  if (!isOlder && !REPLACED.has(fault.diagnostic.code)) await checkDamaged(store, zone, "state", fault);
  return restoring(store, zone, isOlder);
}

/** The error codes of a missing state, and of an intact one that does not fit its journal. */
const REPLACED: ReadonlySet<string> = new Set([
  "state-missing",
  "journal-of-another-state",
  "state-older-than-journal",
]);

async function findFault(read: () => Promise<unknown>): Promise<StateError | undefined> {
  try {
    await read();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof StateError) return thrown;
    throw thrown;
  }
}

/** Keeps the undamaged records of a damaged journal. */
async function journalStep(store: ProjectStore, zone: ZoneId): Promise<RepairStep> {
  const salvaged = await salvage(store.looseLines(zone, "journal"));
  const { binding, records } = salvaged;
  const view = await store.view(zone);
  const beside = binding ? undefined : ((await readableState(view)) ?? (await newestCopy(view)));
  const belongs = binding ?? (beside && { zone, lineage: beside.lineage, baseSerial: beside.serial });
  if (!belongs) throw noCopy(store, zone);
  return {
    says: [
      ...saysOf(salvaged),
      ...(binding ? [] : ["its first line is damaged; it is assumed to belong to the state next to it"]),
      KEPT,
    ],
    carryOut: async (lease) => {
      const kept = await store.setAside(zone, lease, "journal");
      await store.rewriteJournal(zone, lease, journalOf(belongs, records));
      return [kept];
    },
  };
}

function saysOf({ records, lost, doubted }: Salvage): readonly string[] {
  const traces: Traces = new Map();
  for (const record of records) note(traces, record);
  const unfinished = [...traces.values()].filter((trace) => trace.unfinished).length;
  const kept = `${records.length} ${records.length === 1 ? "record is" : "records are"} kept`;
  return [
    `the journal: ${kept}, ${unfinished} of them unfinished changes`,
    lost.length === 0
      ? "no line is removed; a duplicate line is kept once"
      : `${numbered(lost)} damaged and removed; an object that was created by one is found again by its name`,
    ...(doubted.length === 0
      ? []
      : [`${numbered(doubted)} kept despite a wrong checksum: the next run looks up what it was about to do`]),
  ];
}

/** How many line numbers to list. */
const NAMED_LINES = 10;

function numbered(lines: readonly number[]): string {
  const numbers = `${lines.slice(0, NAMED_LINES).join(", ")}${lines.length > NAMED_LINES ? ", …" : ""}`;
  return lines.length === 1 ? `line ${numbers} is` : `${lines.length} lines (${numbers}) are`;
}

/** Nothing depends on an unreadable line, so no copy of it is kept. */
async function observationsStep(store: ProjectStore, zone: ZoneId): Promise<RepairStep | undefined> {
  const { lines, unreadable } = await readObservations(store, zone);
  if (unreadable === 0) return undefined;
  return {
    says: [
      `the record of hostnames: ${unreadable} of ${lines} lines cannot be read and are removed; nothing else is lost`,
    ],
    carryOut: async () => {
      await condenseObservations(store, zone);
      return [];
    },
  };
}

/** The undamaged part of a damaged journal. */
export interface Salvage {
  /** Absent if the first line is damaged. */
  readonly binding?: Binding;
  /** Every undamaged record, in the original order. */
  readonly records: readonly JournalRecord[];
  /** The numbers of the damaged lines, counted from 1. */
  readonly lost: readonly number[];
  /** The numbers of lines that do not match their checksum but whose intent is kept. */
  readonly doubted: readonly number[];
}

/**
 * Finds the undamaged records of a damaged journal. Each record is checked against its own checksum, which continues
 * the checksum that the previous line has or should have, so a damaged line costs only itself. An intent is believed
 * unless something proves it wrong: looking for an object that was never created does no harm, losing one does.
 */
export async function salvage(lines: AsyncIterable<string>): Promise<Salvage> {
  const records = new Map<number, JournalRecord>();
  const lost: number[] = [];
  const doubted: number[] = [];
  let binding: Binding | undefined;
  let before: Before = { bears: "", shouldBear: "", isSound: true };
  let doubtful: Doubtful | undefined;
  let number = 0;
  const keep = (read: Binding | JournalRecord): void => {
    if ("baseSerial" in read) binding = read;
    // A duplicate record counts once.
    else if (!records.has(read.seq)) records.set(read.seq, read);
  };
  const settle = (next: Proof): void => {
    if (doubtful?.read && isBelieved(doubtful.read, doubtful.isJudged, next)) {
      keep(doubtful.read);
      if (next !== "by-content") doubted.push(doubtful.number);
    } else if (doubtful) lost.push(doubtful.number);
    doubtful = undefined;
  };
  for await (const line of lines) {
    number += 1;
    const proof = proofOf(line, before);
    const read = decodedLine(line, number === 1);
    settle(proof);
    if (read && proof !== "none") keep(read);
    else doubtful = { read, number, isJudged: before.isSound };
    before = { bears: crcIn(line), shouldBear: crcOf(line, before), isSound: proof !== "none" };
  }
  settle("none");
  const inOrder = [...records.values()].sort((left, right) => left.seq - right.seq);
  return { ...(binding ? { binding } : {}), records: inOrder, lost, doubted };
}

/**
 * What proves that a line is undamaged: the checksum in the line before, or the checksum computed from that line's
 * content.
 */
type Proof = "by-checksum" | "by-content" | "none";

/** The previous line's checksum: as written, and as computed from its content. */
interface Before {
  readonly bears: string | undefined;
  readonly shouldBear: string | undefined;
  readonly isSound: boolean;
}

/** A line without a proof. The next line may provide one. */
interface Doubtful {
  readonly read: Binding | JournalRecord | undefined;
  readonly number: number;
  /** The previous line is sound: if this line's checksum is right, its content is wrong. */
  readonly isJudged: boolean;
}

function isBelieved(read: Binding | JournalRecord, isJudged: boolean, next: Proof): boolean {
  // The next line continues the checksum computed from this content: only the written checksum is damaged.
  if (next === "by-content") return true;
  return "kind" in read && read.kind === "intent" && !(isJudged && next === "by-checksum");
}

function proofOf(line: string, { bears, shouldBear }: Before): Proof {
  if (bears !== undefined && verifiedCrc(line, bears) !== undefined) return "by-checksum";
  return shouldBear !== undefined && verifiedCrc(line, shouldBear) !== undefined ? "by-content" : "none";
}

function crcIn(line: string): string | undefined {
  return /^\{"crc":"([0-9a-f]{16})"/.exec(line)?.[1];
}

/** The checksum that an undamaged line would have, given the previous one. */
function crcOf(line: string, { bears, shouldBear }: Before): string | undefined {
  const before = bears ?? shouldBear;
  const [, body] = /^\{"crc":"[^"]*",(.+)$/s.exec(line) ?? [];
  return before === undefined || body === undefined ? undefined : checksum(before + body);
}

function decodedLine(line: string, isFirst: boolean): Binding | JournalRecord | undefined {
  const value = parseObject(line);
  if (!value) return undefined;
  return decodeOr(
    () => (isFirst ? decodeBinding(value) : JOURNAL_RECORD.decode(value)),
    () => undefined,
  );
}

/** The lines of a journal with exactly these records. */
export async function* journalOf(binding: Binding, records: readonly JournalRecord[]): AsyncIterable<string> {
  let { line, crc } = encodeBinding(binding);
  yield line;
  for (const [index, record] of records.entries()) {
    ({ line, crc } = encodeRecord(crc, { ...record, seq: index + 1 }));
    yield line;
  }
}
