import { DecodeError } from "../core/decode.ts";
import { decodeFields } from "./journal-record.ts";
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
}

/**
 * Finds what is whole in a damaged journal. A record is judged by its own checksum, which continues the one that the line
 * before it bears: damage to a line costs that line, and the next one only where that checksum is hit.
 */
export async function salvage(lines: AsyncIterable<string>): Promise<Salvage> {
  const records = new Map<number, JournalRecord>();
  const lost: number[] = [];
  let binding: Binding | undefined;
  let previous: string | undefined = "";
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const isWhole = previous !== undefined && verifiedCrc(line, previous) !== undefined;
    const read = isWhole ? decodedLine(line, number === 1) : undefined;
    if (!read) lost.push(number);
    else if ("baseSerial" in read) binding = read;
    // A record that stands there twice is one record.
    else if (!records.has(read.seq)) records.set(read.seq, read);
    previous = /^\{"crc":"([0-9a-f]{16})"/.exec(line)?.[1];
  }
  const inOrder = [...records.values()].sort((left, right) => left.seq - right.seq);
  return { ...(binding ? { binding } : {}), records: inOrder, lost };
}

function decodedLine(line: string, isFirst: boolean): Binding | JournalRecord | undefined {
  const value = parse(line);
  if (!value) return undefined;
  try {
    return isFirst ? decodeBinding(value) : decodeFields(value);
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
