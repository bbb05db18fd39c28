import { describe, expect, test } from "vitest";
import { StateError } from "../../../lib/state/error.ts";
import { decodeJournal, encodeBinding, encodeRecord } from "../../../lib/state/journal.ts";
import type { JournalRecord } from "../../../lib/state/journal-record.ts";
import { addressOf, given, hostname, LINEAGE, ZONE } from "../../support/state-world.ts";

const WHERE = ".zoneform/zone.journal";
const BINDING = { zone: ZONE, lineage: LINEAGE, baseSerial: 3 };

function recordOf(seq: number): JournalRecord {
  const kind = seq % 2 === 1 ? "intent" : "done";
  const index = Math.ceil(seq / 2);
  return {
    seq,
    run: "run-1",
    kind,
    address: addressOf(index),
    action: "create",
    object: hostname(index),
    at: "2026-03-01T12:00:00Z",
  };
}

function journalOf(count: number): string[] {
  let { line, crc } = encodeBinding(BINDING);
  const lines = [line];
  for (let seq = 1; seq <= count; seq++) {
    ({ line, crc } = encodeRecord(crc, recordOf(seq)));
    lines.push(line);
  }
  return lines;
}

async function damage(lines: readonly string[]): Promise<{ message: string; line: number | undefined }> {
  const error = await decodeJournal(given(lines), WHERE).catch((thrown: unknown) => thrown);
  if (!(error instanceof StateError)) throw new Error("nothing was refused", { cause: error });
  expect(error.diagnostic).toMatchObject({ code: "journal-damaged", at: { file: WHERE } });
  return { message: error.diagnostic.message, line: error.diagnostic.at?.line };
}

test("no lines are no journal", async () => {
  expect(await decodeJournal(given([]), WHERE)).toBeUndefined();
});

test("what was written is read: its binding, its end, and its records", async () => {
  const decoded = await decodeJournal(given(journalOf(3)), WHERE);
  expect(decoded).toMatchObject({ binding: BINDING, seq: 3 });
  expect(decoded?.traces).toEqual(
    new Map([
      [addressOf(1), { settled: hostname(1) }],
      [addressOf(2), { unfinished: recordOf(3) }],
    ]),
  );
});

describe("damage is refused with its line", () => {
  test("garbage in the middle", async () => {
    const lines = journalOf(4);
    lines[2] = "\u0000\u0000\u0000";
    expect(await damage(lines)).toEqual({ line: 3, message: "the journal is damaged at line 3: it is incomplete" });
  });

  test("an incomplete last line: one that a crash cut off has no line end, and does not count as a line", async () => {
    const lines = journalOf(3);
    lines[3] = lines[3]?.slice(0, 40) ?? "";
    expect(await damage(lines)).toEqual({ line: 4, message: "the journal is damaged at line 4: it is incomplete" });
  });

  test("a cut line in the middle", async () => {
    const lines = journalOf(4);
    lines[2] = lines[2]?.slice(0, 40) ?? "";
    expect(await damage(lines)).toMatchObject({ line: 3 });
  });

  test("two records that changed places", async () => {
    const [first = "", a = "", b = "", ...rest] = journalOf(4);
    expect(await damage([first, b, a, ...rest])).toEqual({
      line: 2,
      message: "the journal is damaged at line 2: its checksum does not match",
    });
  });

  test("a record that was removed", async () => {
    expect(await damage(journalOf(4).filter((_line, index) => index !== 2))).toMatchObject({ line: 3 });
  });

  test("a value that was changed, even in the last line", async () => {
    for (const index of [0, 1, 4]) {
      const lines = journalOf(4);
      lines[index] = lines[index]?.replace(/(run-1|saas|zoneform)/, "other") ?? "";
      expect(await damage(lines)).toMatchObject({ line: index + 1 });
    }
  });

  test("records of another journal", async () => {
    const { line } = encodeBinding({ ...BINDING, baseSerial: 4 });
    expect(await damage([line, ...journalOf(2).slice(1)])).toMatchObject({ line: 2 });
  });

  test("a number that breaks the sequence", async () => {
    const start = encodeBinding(BINDING);
    const { line } = encodeRecord(start.crc, recordOf(2));
    expect(await damage([start.line, line])).toEqual({
      line: 2,
      message: "the journal is damaged at line 2: it is record 2, expected record 1",
    });
  });

  test("a first line of another format", async () => {
    expect(await damage(['{"crc":"0123456789abcdef","format":"other"}'])).toMatchObject({ line: 1 });
  });
});
