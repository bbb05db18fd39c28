import { expect } from "vitest";
import { IS_FULL } from "../full.ts";

/** Takes back what somebody did. */
export type Undo = () => unknown;

/** Something that somebody tampers with, and what a part of a job must then say or not do. */
export interface Row<Part extends string, At> {
  readonly threat: string;
  readonly part: Part;
  /** How. The records are set back by themselves. */
  readonly tamper: (at: At) => Undo | undefined | void | Promise<Undo | undefined | void>;
  readonly seen: object;
}

/** What answers a threat: the texts that stand for it in its file, and what to write there instead to take it out. */
export interface Guard {
  readonly threat: string;
  readonly edits: readonly (readonly [text: string, instead: string])[];
}

/** A guard that is taken out by leaving some texts away. */
export function guard(threat: string, ...texts: readonly string[]): Guard {
  return { threat, edits: texts.map((text) => [text, ""] as const) };
}

/** How parts of jobs are tried. */
export interface Trial<Part extends string, At> {
  readonly rows: readonly Row<Part, At>[];
  /** What a part does where nobody tampers. */
  readonly honest: Readonly<Partial<Record<Part, object>>>;
  readonly guards: readonly Guard[];
  /** The file that a part is from. */
  readonly sourceOf: (part: Part) => string;
  /** Runs a part of this text, after somebody has tampered. */
  readonly run: (part: Part, source: string, tamper: Row<Part, At>["tamper"]) => Promise<object>;
}

/** One of this many guards is taken out in `npm test`. */
const STRIDE = 40;

/**
 * Expects that each threat is noticed, and that it is noticed because of its guards: a file without one of them does the
 * same as before where nobody tampers, and not what it must where somebody does.
 */
export async function expectGuarded<Part extends string, At>(trial: Trial<Part, At>): Promise<void> {
  const { rows, guards, honest, sourceOf, run } = trial;
  const expectHonest = async (part: Part, source: string, because: string): Promise<void> => {
    const seen = honest[part];
    if (seen) expect([because, await run(part, source, () => undefined)]).toMatchObject([because, seen]);
  };
  const expectNoticed = async ({ part, tamper, seen, threat }: Row<Part, At>, source: string): Promise<void> => {
    expect([threat, await run(part, source, tamper)]).toMatchObject([threat, seen]);
  };

  for (const row of rows) await expectNoticed(row, sourceOf(row.part));
  expect(guards.map(({ threat }) => threat)).toEqual(expect.arrayContaining(rows.map(({ threat }) => threat)));
  const idle: string[] = [];
  for (const [index, guard] of guards.entries()) {
    const row = rows.find(({ threat }) => threat === guard.threat);
    if (!row) throw new Error(`nobody tries this: ${guard.threat}`);
    const source = without(sourceOf(row.part), guard);
    if (!IS_FULL && index % STRIDE !== 0) continue;
    const title = `${guard.threat}, without ${guard.edits.map(([text]) => text).join()}`;
    await expectHonest(row.part, source, title);
    await expectNoticed(row, source).then(
      () => idle.push(title),
      () => undefined,
    );
  }
  expect(idle).toEqual([]);
}

function without(source: string, { edits }: Guard): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${from} is not in the file`);
    return text.replaceAll(from, () => to);
  }, source);
}

/** Changes the newest of some records. */
export function change<Item extends object>(all: readonly Item[], to: Partial<Item>): void {
  const newest = all.at(-1);
  if (!newest) throw new Error("there is none to change");
  Object.assign(newest, to);
}

/** Notes what is in some lists, and gives the way to set them back. */
export function keep(...lists: readonly object[][]): Undo {
  const before = lists.map((all) => all.map((item) => ({ item, copy: { ...item } })));
  return () => {
    for (const [index, all] of lists.entries())
      all.splice(0, all.length, ...(before[index] ?? []).map(({ item, copy }) => Object.assign(item, copy)));
  };
}
