// Plays the part of the simulation that .ci/run plays. The id of the tree chooses the seeds, so that each change plays others,
// and everybody can play them again. With --list it prints the commands and runs none of them.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** How many seeds to play with the states on the disk, and in the model of each engine. */
const PLAYS = [
  ["--seeds", "1500"],
  ["--seeds", "150", "--database"],
  ["--seeds", "150", "--s3"],
  ["--seeds", "150", "--http"],
];
/** How many digits of the tree's id make a seed. With more, different seeds would get the same random numbers. */
const DIGITS = 6;
/** How long all of them together may take. A quiet machine needs 4 minutes, so after this time some seed never ends. */
const MOST_MINUTES = 30;

const first = firstSeed();
console.log(first.why);
const plays = PLAYS.map((play) => [...play, "--from", `${first.seed}`]);
if (process.argv.includes("--list")) for (const play of plays) console.log(commandOf(play));
else if (plays.map(playedIn(Date.now() + MOST_MINUTES * 60_000)).includes(false)) process.exitCode = 1;

function firstSeed() {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) return { seed: 1, why: "simulation: from seed 1, because git knows no tree here" };
  const tree = stdout.trim();
  const seed = Number.parseInt(tree.slice(0, DIGITS), 16);
  return { seed, why: `simulation: from seed ${seed}, by the tree ${tree}` };
}

/** Plays until the deadline, also after an earlier play has failed, and says how to play it again. */
function playedIn(deadline) {
  return (play) => {
    console.log(commandOf(play));
    const main = join(ROOT, "dist", "sim", "tests", "sim", "main.js");
    const workers = ["--workers", `${Math.min(availableParallelism(), 4)}`];
    const { status, signal } = spawnSync(process.execPath, [main, ...play, ...workers, "--no-shrink"], {
      stdio: "inherit",
      timeout: Math.max(1, deadline - Date.now()),
      killSignal: "SIGKILL",
    });
    if (signal !== null) console.error(`ended after ${MOST_MINUTES} minutes; to play it again: ${commandOf(play)}`);
    return status === 0;
  };
}

function commandOf(play) {
  return `npm run sim -- ${play.join(" ")}`;
}
