import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { inFull } from "../support/full.ts";
import { scenarioOf } from "./derive.ts";
import { allFound } from "./found.ts";
import { ALL_KINDS } from "./kinds.ts";
import { MUTANTS } from "./mutants.ts";
import { play } from "./play.ts";
import type { Scenario } from "./scenario.ts";
import { edited, NO_WISH } from "./wish.ts";
import { MAIN } from "./zones.ts";

/** A few seconds' worth; `npm run sim` plays more. */
const SEEDS = inFull(200, 20);
/** Each of its calls is an event of the simulation, so a seed takes longer. */
const SEEDS_ON_HTTP = inFull(100, 8);
const SEEDS_TWICE = inFull(10, 5);

describe("the mistakes that the simulation has to notice", () => {
  it.for(MUTANTS.map((mutant) => [mutant.name, mutant] as const))("%s can be made in one place", ([, mutant]) => {
    for (const { file, find } of [mutant, ...(mutant.also ? [mutant.also] : [])])
      expect(readFileSync(join(import.meta.dirname, "..", "..", file), "utf8").split(find)).toHaveLength(2);
  });

  it("are at least 25, each with its own name", () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    expect(MUTANTS.length).toBeGreaterThanOrEqual(25);
  });
});

describe("the simulation", () => {
  it("finds no broken promise in a few seeds", async () => {
    const broken: string[] = [];
    let [kills, effects] = [0, 0];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const verdict = await play(scenarioOf(seed));
      kills += verdict.kills;
      effects += verdict.effects;
      broken.push(...verdict.violations.map(({ invariant, what }) => `seed ${seed}: ${invariant} ${what}`));
    }
    expect(broken).toEqual([]);
    // Without any events it would find nothing either.
    expect(Math.min(kills, effects)).toBeGreaterThan(SEEDS / 4);
  });

  it("finds no broken promise with the states in a database whose connections drop and which restarts", async () => {
    const broken: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { violations } = await play(scenarioOf(seed, "database"));
      broken.push(...violations.map(({ invariant, what }) => `seed ${seed}: ${invariant} ${what}`));
    }
    expect(broken).toEqual([]);
  });

  it("finds no broken promise with the states in a bucket whose requests fail and whose holders stop", async () => {
    const broken: string[] = [];
    for (let seed = 1; seed <= SEEDS_TWICE; seed += 1) {
      const { violations } = await play(scenarioOf(seed, "s3"));
      broken.push(...violations.map(({ invariant, what }) => `seed ${seed}: ${invariant} ${what}`));
    }
    expect(broken).toEqual([]);
  });

  it("finds no broken promise with the states on an HTTP server whose answers are lost and whose locks stay", async () => {
    const broken: string[] = [];
    for (let seed = 1; seed <= SEEDS_ON_HTTP; seed += 1) {
      const { violations } = await play(scenarioOf(seed, "http"));
      broken.push(...violations.map(({ invariant, what }) => `seed ${seed}: ${invariant} ${what}`));
    }
    expect(broken).toEqual([]);
  });

  it("plays projects that claim the same thing, and zones at the same time, only with a database", () => {
    const scenarios = (place?: "database"): readonly Scenario[] =>
      Array.from({ length: 100 }, (_, index) => scenarioOf(index + 1, place));
    const rivals = (all: readonly Scenario[]): unknown[] =>
      all.flatMap(({ sessions }) => sessions.flatMap(({ rival }) => rival ?? []));
    const atOnce = (all: readonly Scenario[]): number => all.filter((each) => each.hasZonesAtOnce).length;
    expect(rivals(scenarios("database")).length).toBeGreaterThan(50);
    expect(atOnce(scenarios("database"))).toBeGreaterThan(5);
    expect([rivals(scenarios()), atOnce(scenarios())]).toEqual([[], 0]);
  });

  it("plays jobs that look for drift after somebody deleted, edited and put in front what they have to notice", () => {
    const sessions = Array.from({ length: 300 }, (_, index) => scenarioOf(index + 1)).flatMap((each) => each.sessions);
    const jobs = sessions.flatMap(({ drift }) => drift ?? []);
    const acts = jobs.flatMap((job) => job.acts.map(({ act }) => act));
    expect(jobs.length).toBeGreaterThan(100);
    for (const act of ["delete", "edit", "edit-rule", "drop-rule", "put-in-front", "fallback", "setting"])
      expect(acts).toContain(act);
  });

  it("plays people who move the states to another place, and are killed at it", () => {
    const sessions = Array.from({ length: 300 }, (_, index) => scenarioOf(index + 1)).flatMap((each) => each.sessions);
    const moves = sessions.flatMap(({ migration }) => migration ?? []);
    expect(moves.length).toBeGreaterThan(50);
    expect(moves.filter(({ ending }) => ending).length).toBeGreaterThan(25);
  });

  it("plays the same seed the same way", async () => {
    for (let seed = 1001; seed < 1001 + SEEDS_TWICE; seed += 1) {
      const [first, second] = [await play(scenarioOf(seed)), await play(scenarioOf(seed))];
      expect(second.hash).toBe(first.hash);
    }
  });

  it("hears no secret when every request is reported and everything is printed", async () => {
    let texts = 0;
    for (let seed = 1; seed <= SEEDS_TWICE; seed += 1) {
      const verdict = await play(scenarioOf(seed), { isLoud: true });
      texts += verdict.texts;
      expect(verdict.violations).toEqual([]);
    }
    expect(texts).toBeGreaterThan(100 * SEEDS_TWICE);
  });

  it("lets people hold their zones and change settings, in the YAML and in the dashboard", () => {
    const sessions = Array.from({ length: 200 }, (_, index) => scenarioOf(index + 1)).flatMap((each) => each.sessions);
    const edits = sessions.flatMap((session) => [...session.edits, ...(session.editsBeside ?? [])]);
    const acts = sessions.flatMap(({ run }) => run.outside.map(({ act }) => act));
    for (const kind of ["hold", "setting"]) expect(edits.map(({ edit }) => edit)).toContain(kind);
    for (const kind of ["hold", "suspend-hold", "release-hold", "setting"])
      expect(acts.map(({ act }) => act)).toContain(kind);
  });

  it("lets people declare objects of every kind", () => {
    const file = { zone: MAIN, isInFile: () => false };
    const sessions = Array.from({ length: 300 }, (_, index) => scenarioOf(index + 1)).flatMap((each) => each.sessions);
    const wishes = sessions.map(({ edits }) => edits.reduce(edited, NO_WISH));
    for (const [name, { declared }] of ALL_KINDS) {
      const before = declared(NO_WISH, file);
      expect(wishes.filter((wish) => !isDeepStrictEqual(declared(wish, file), before)).length, name).toBeGreaterThan(
        10,
      );
    }
  });

  it("plays different seeds in different ways", async () => {
    expect((await play(scenarioOf(1))).hash).not.toBe((await play(scenarioOf(2))).hash);
  });

  it.for(allFound())("%s breaks nothing any more", async ([, { scenario }]) => {
    expect((await play(scenario)).violations).toEqual([]);
  });
});
