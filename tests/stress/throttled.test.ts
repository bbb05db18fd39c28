import { expect, test } from "vitest";
import { type Fate, playRound, type Round } from "./throttled-round.ts";

/** `npm run stress:throttled` asks for 1,000. */
const EDITS = Number(process.env["ZONEFORM_THROTTLED_EDITS"] ?? 60);
const SEED = Number(process.env["ZONEFORM_THROTTLED_SEED"] ?? 1);

const FATES = [
  "kept",
  "conflict",
  "overwritten as planned",
  "excused",
  "excused and reported",
  "excused and not reported",
  "lost",
] as const satisfies readonly Fate[];
/** What must never come of an edit. */
const WRONG: readonly Fate[] = ["lost", "excused and not reported"];
/** A few edits may meet none of the rare ones; so many meet all of them, or the figures would say little. */
const SOON_MET: readonly Fate[] = ["kept", "conflict"];
const MANY = 500;

test("no edit is lost while a run waits for its share of the calls, except in the moment of a write", async () => {
  const rounds: Round[] = [];
  let edits = 0;
  for (let round = 0; edits < EDITS; round += 1) {
    const seed = SEED * 100_000 + round;
    const played = await playRound(seed).catch((cause: unknown) => {
      throw new Error(`the round of seed ${seed} did not end well`, { cause });
    });
    rounds.push(played);
    edits += played.fates.length;
  }
  const fates = rounds.flatMap((round) => round.fates);
  const count = (fate: Fate): number => fates.filter((each) => each.fate === fate).length;
  console.log(
    figures(
      rounds,
      FATES.map((fate) => `${fate} ${count(fate)}`),
    ),
  );
  const wrong = fates.filter(({ fate }) => WRONG.includes(fate)).map(({ fate, story }) => `${fate}: ${story}`);
  expect([...wrong, ...rounds.flatMap(({ stale }) => stale)]).toEqual([]);
  const toMeet = EDITS < MANY ? SOON_MET : FATES.filter((fate) => !WRONG.includes(fate));
  expect(toMeet.filter((fate) => count(fate) === 0)).toEqual([]);
});

function figures(rounds: readonly Round[], counts: readonly string[]): string {
  const sum = (of: (round: Round) => number): number => rounds.reduce((total, round) => total + of(round), 0);
  const parallel = rounds.map(({ parallelism }) => parallelism);
  return [
    `throttled ${sum(({ fates }) => fates.length)} edits from seed ${SEED}: ${counts.join(", ")}`,
    `stale writes ${sum(({ stale }) => stale.length)}`,
    `${rounds.length} runs, ${sum(({ requests }) => requests)} requests, ${sum(({ refused }) => refused)} refused`,
    `parallelism ${Math.min(...parallel)} to ${Math.max(...parallel)}`,
    `longest run ${Math.max(...rounds.map(({ seconds }) => seconds))} s of its time`,
  ].join("; ");
}
