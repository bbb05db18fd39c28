import { scenarioOf } from "./derive.ts";
import { allFound, keepFound } from "./found.ts";
import { type Options, readOptions } from "./options.ts";
import { play } from "./play.ts";
import { playAll } from "./pool.ts";
import { shrunk } from "./shrink.ts";
import type { BadSeed, Tally } from "./tally.ts";

/** How many bad seeds to shrink and keep; more would say nothing new. */
const MOST_SHRUNK = 5;

const options = readOptions(process.argv.slice(2));
process.exitCode = options.only === undefined ? await playMany(options) : await playOne(options.only, options);

async function playOne(seed: number, { place }: Options): Promise<number> {
  const verdict = await play(scenarioOf(seed, place), { keepsLines: true });
  console.log(verdict.lines.join("\n"));
  console.log(`seed ${seed}, trace ${verdict.hash}, violations ${verdict.violations.length}`);
  return verdict.violations.length > 0 ? 1 : 0;
}

async function playMany(options: Options): Promise<number> {
  const old = options.isHunt ? await firstOfFound() : undefined;
  if (old !== undefined) {
    console.log(old);
    return 1;
  }
  const started = performance.now();
  const tally = await playAll(options, (sofar) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${sofar.seeds} seeds, ${sofar.bad.length} bad`);
  });
  const seconds = (performance.now() - started) / 1000;
  for (const bad of tally.bad.slice(0, 50)) console.log(`seed ${bad.seed}: ${inWords(bad)}`);
  for (const { seed } of tally.bad.slice(0, MOST_SHRUNK)) console.log(`to play it again: ${commandFor(seed, options)}`);
  if (options.isShrinking) for (const bad of tally.bad.slice(0, MOST_SHRUNK)) await keep(bad, options);
  console.log(figure(tally, options, seconds));
  return tally.bad.length > 0 ? 1 : 0;
}

/** The first failure among the kept scenarios; a hunt looks there first. */
async function firstOfFound(): Promise<string | undefined> {
  for (const [file, { scenario }] of allFound()) {
    const { violations } = await play(scenario);
    if (violations.length > 0) return `seed ${file}: ${inWords({ seed: scenario.seed, violations })}`;
  }
  return undefined;
}

async function keep({ seed, violations: [first] }: BadSeed, { place }: Options): Promise<void> {
  if (!first || first.invariant === "I11") return;
  const { scenario, verdict } = await shrunk(scenarioOf(seed, place), first.invariant);
  console.log(
    `seed ${seed}: ${scenario.sessions.length} sessions are enough, kept as ${keepFound({ violations: verdict.violations, scenario })}`,
  );
}

function commandFor(seed: number, { place }: Options): string {
  return `npm run sim -- --seed ${seed}${place === "disk" ? "" : ` --${place}`}`;
}

function inWords({ violations }: BadSeed): string {
  return violations.map(({ invariant, what }) => `${invariant} ${what}`).join("; ");
}

function figure(tally: Tally, { isTwice }: Options, seconds: number): string {
  const counts = `runs ${tally.runs}, killed ${tally.kills}, power cuts ${tally.cuts}, writes ${tally.effects}, overwritten in the one request between ${tally.excused}, hostnames moved ${tally.moved}, packs renamed ${tally.renamed}, texts searched for secrets ${tally.texts}`;
  const pace = `${seconds.toFixed(1)} s, ${(tally.seeds / seconds).toFixed(0)} seeds/s`;
  return `seeds ${tally.seeds}${isTwice ? " twice" : ""}, ${counts}, violations ${tally.bad.length}, ${pace}`;
}
