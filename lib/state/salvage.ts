import { DecodeError } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import { RECORD } from "./journal-record.ts";
import { type Binding, decodeBinding, encodeBinding, encodeRecord, parse, verifiedCrc } from "./journal.ts";
import type { JournalRecord } from "./record.ts";

/** What is whole in a journal that is not. */
export interface Salvage {
  /** Absent where the first line is damaged. */
  readonly binding?: Binding;
  /** Every record that is as it was written, in the order in which it was. */
  readonly records: readonly JournalRecord[];
  /** The numbers of the lines that are not, counted from 1. */
  readonly lost: readonly number[];
  /** The numbers of lines that do not match their checksum, and whose intent is kept all the same. */
  readonly doubted: readonly number[];
}

/**
 * Finds what is whole in a damaged journal. A record is judged by its own checksum, which continues the one that the line
 * before it bears, or should bear: so damage to a line costs that line alone. An intent of which nothing says that it is
 * not as it was written is believed: to look for an object that was never made does no harm, to lose sight of one does.
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
    // A record that stands there twice is one record.
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

/** What shows that a line is as it was written: the checksum that the line before bears, or the one that its content makes. */
type Proof = "by-checksum" | "by-content" | "none";

/** The line before, with its checksum as it stands there and as its content makes it. */
interface Before {
  readonly bears: string | undefined;
  readonly shouldBear: string | undefined;
  readonly isSound: boolean;
}

/** A line without a proof. The next line may be one. */
interface Doubtful {
  readonly read: Binding | JournalRecord | undefined;
  readonly number: number;
  /** The line before it is sound, so that where this one's checksum is right, its content is not. */
  readonly isJudged: boolean;
}

function isBelieved(read: Binding | JournalRecord, isJudged: boolean, next: Proof): boolean {
  // What follows continues the checksum that this content makes: only the checksum that stands there is damaged.
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

/** What the line would bear if it is as it was written, by the line before it. */
function crcOf(line: string, { bears, shouldBear }: Before): string | undefined {
  const before = bears ?? shouldBear;
  const [, body] = /^\{"crc":"[^"]*",(.+)$/s.exec(line) ?? [];
  return before === undefined || body === undefined ? undefined : checksum(before + body);
}

function decodedLine(line: string, isFirst: boolean): Binding | JournalRecord | undefined {
  const value = parse(line);
  if (!value) return undefined;
  try {
    return isFirst ? decodeBinding(value) : RECORD.decode(value);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** The lines of a journal that holds these records and no others. */
export async function* journalOf(binding: Binding, records: readonly JournalRecord[]): AsyncIterable<string> {
  let { line, crc } = encodeBinding(binding);
  yield line;
  for (const [index, record] of records.entries()) {
    ({ line, crc } = encodeRecord(crc, { ...record, seq: index + 1 }));
    yield line;
  }
}
