import { describe, expect, test } from "vitest";
import { keptReport } from "../../lib/config/report.ts";
import { textStream } from "../../lib/config/text-stream.ts";
import { SOURCE_TAIL_GONE } from "../../lib/plan/sources.ts";
import { seededRandom } from "../support/engine.ts";
import { type Judged, judge, openSourceProject, type Remembered, remembered } from "../support/source-plans.ts";
import { sound } from "../unit/config/project.ts";

const IS_FULL = process.env["ZONEFORM_FULL"] !== undefined;
const ROWS = IS_FULL ? 2000 : 60;
const DAYS = IS_FULL ? 10_000 : 150;
/** About how many rows the file has on every day of the churn. */
const USUAL_ROWS = 150;
const LINE_FEED = 10;

interface Row {
  readonly domain: string;
  readonly note: string;
}

/** Rows that make a cut hard to recognise: quotes, line breaks, empty cells, letters of two bytes. */
function row(index: number): Row {
  const note = index % 11 === 0 ? `two\nlines, "quoted" ${index}` : index % 5 === 0 ? "" : `größe ${index}`;
  return { domain: `app${index}.customer${index % 7}.net`, note };
}

function bytesOf(kind: "csv" | "ndjson", rows: readonly Row[]): Buffer {
  if (kind === "ndjson") return Buffer.from(rows.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return Buffer.from(["domain,note", ...rows.map(({ domain, note }) => `${domain},${cell(note)}`), ""].join("\n"));
}

describe.each([
  ["csv", undefined],
  ["csv", { max_shrink: "100%" }],
  ["ndjson", undefined],
  ["ndjson", { max_shrink: "100%" }],
] as const)("a truncated %s of many rows (complete: %j)", (kind, complete) => {
  test("at any byte, deletes at most one row unless its plan is approved by hash", async () => {
    const project = openSourceProject({ kind, ...(complete ? { complete } : {}) });
    const rows = Array.from({ length: ROWS }, (_item, index) => row(index));
    const whole = bytesOf(kind, rows);
    const state = remembered(sound(await project.read(whole)));
    expect(state.objects.size).toBe(ROWS);
    const outcomes = new Map<string, number>();
    for (let length = 0; length < whole.length; length += 1) {
      const cut = whole.subarray(0, length);
      // The text alone is enough to refuse an unfinished line, so most cuts need no complete plan.
      const isLine = cut.at(-1) === LINE_FEED;
      const outcome =
        isLine || length % 997 === 0 ? saidOf(judge(await project.read(cut), state)) : await refusedByText(cut);
      expect(outcome, `cut after ${length} bytes`).toMatch(/^(refused|deletes [01]$)/);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    if (IS_FULL) process.stdout.write(`${whole.length} cuts: ${JSON.stringify(Object.fromEntries(outcomes))}\n`);
    expect([...outcomes.keys()]).toContain("deletes 1");
    expect([...outcomes.keys()]).toContain("refused: source-tail-gone");
  });
});

function saidOf(judged: Judged): string {
  if ("refusedBefore" in judged) return `refused before the plan: ${judged.refusedBefore}`;
  if (judged.deleted.length > 0) return `deletes ${judged.deleted.length}`;
  const codes = new Set(judged.refused.map(({ refused }) => refused?.code));
  return codes.size === 0 ? "deletes 0" : `refused: ${[...codes].join(" ")}`;
}

async function refusedByText(cut: Uint8Array): Promise<string> {
  async function* once(): AsyncIterable<Uint8Array> {
    yield cut;
  }
  const { report, said } = keptReport();
  for await (const piece of textStream(once(), "customers", report).chunks) if (piece === "") break;
  return said[0] ? `refused before the plan: ${said[0].code}` : "read to its end";
}

/** What a day did to the rows. */
interface Day {
  readonly rows: readonly Row[];
  readonly removed: ReadonlySet<string>;
}

/** A day of ordinary churn: rows are added at any place, change, and are deleted, the newest one more often than others. */
function dayAfter(rows: readonly Row[], next: () => number, fraction: () => number): Day {
  const pick = (count: number): number => Math.floor(fraction() * count);
  const today = [...rows];
  const removed = new Set<string>();
  const remove = (index: number): void => {
    const [gone] = today.splice(index, 1);
    if (gone) removed.add(gone.domain);
  };
  if (fraction() < 0.3) remove(today.length - 1);
  for (let count = pick(4); count > 0; count -= 1) remove(pick(today.length));
  for (let count = pick(4); count > 0; count -= 1) {
    const index = pick(today.length);
    const changed = today[index];
    if (changed) today[index] = { ...changed, note: `changed ${fraction()}` };
  }
  for (let count = pick(today.length < USUAL_ROWS ? 6 : 2); count > 0; count -= 1)
    today.splice(fraction() < 0.5 ? today.length : pick(today.length), 0, row(next()));
  return { rows: today, removed };
}

/** The oracle: whether the deleted rows are exactly the last ones, and more than one. */
function isTail(before: readonly Row[], removed: ReadonlySet<string>): boolean {
  return removed.size > 1 && before.slice(-removed.size).every(({ domain }) => removed.has(domain));
}

test(`${DAYS} days of ordinary churn: missing rows are deleted, and blocked only if they are exactly the tail`, async () => {
  const project = openSourceProject({ kind: "csv" });
  const random = seededRandom(20_261_122);
  let serial = 0;
  const next = (): number => (serial += 1);
  const born = (): Row[] => Array.from({ length: USUAL_ROWS }, () => row(next()));
  let rows: readonly Row[] = born();
  const read = async (): Promise<Awaited<ReturnType<typeof project.read>>> => project.read(bytesOf("csv", rows));
  let state: Remembered = remembered(sound(await read()));
  const counts = { days: 0, deletions: 0, newest: 0, tails: 0 };
  for (let day = 0; day < DAYS; day += 1) {
    const before = rows;
    const after = dayAfter(rows, next, () => random.fraction());
    const { removed } = after;
    rows = after.rows;
    const loaded = await read();
    const judged = judge(loaded, state);
    const [newest] = before.slice(-1);
    const isCutLike = isTail(before, removed);
    if ("refusedBefore" in judged) throw new Error(`day ${day}: ${judged.refusedBefore}`);
    const codes = judged.refused.map(({ refused }) => refused?.code);
    expect(codes, `day ${day}`).toEqual(isCutLike ? Array.from(removed, () => SOURCE_TAIL_GONE) : []);
    if (!isCutLike) expect(new Set(judged.deleted), `day ${day}`).toEqual(removed);
    counts.days += 1;
    counts.deletions += judged.deleted.length;
    counts.tails += isCutLike ? 1 : 0;
    counts.newest += newest && removed.has(newest.domain) ? 1 : 0;
    state = remembered(sound(loaded));
  }
  if (IS_FULL) process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(counts.newest).toBeGreaterThan(DAYS / 10);
  expect(counts.deletions).toBeGreaterThan(DAYS);
});
