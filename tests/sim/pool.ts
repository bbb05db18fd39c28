import { Worker } from "node:worker_threads";
import type { Options } from "./options.ts";
import { playSeeds, type Share } from "./play-seeds.ts";
import { addTally, emptyTally, type Tally } from "./tally.ts";

/** How many seeds a thread takes at a time, so that none of them waits for another at the end. */
const PIECE = 25;

/** Plays all requested seeds, on as many threads. `report` receives each batch that is done. */
export async function playAll(options: Options, report: (tally: Tally) => void): Promise<Tally> {
  const tally = emptyTally();
  const shares = sharesOf(options);
  const takeOne = async (playShare: (share: Share) => Promise<Tally>): Promise<void> => {
    for (let share = shares.shift(); share !== undefined; share = shares.shift()) {
      addTally(tally, await playShare(share));
      report(tally);
      if (options.isHunt && tally.bad.length > 0) shares.length = 0;
    }
  };
  if (options.workers === 1) await takeOne(playSeeds);
  else await Promise.all(Array.from({ length: options.workers }, () => onThread(takeOne)));
  return tally;
}

function sharesOf({ from, seeds, isTwice, isLoud, place, isHunt }: Options): Share[] {
  const shares: Share[] = [];
  for (let start = from; start < from + seeds; start += PIECE)
    shares.push({ from: start, to: Math.min(start + PIECE, from + seeds), isTwice, isLoud, place, isHunt });
  return shares;
}

async function onThread(work: (playShare: (share: Share) => Promise<Tally>) => Promise<void>): Promise<void> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  });
  try {
    await work(
      (share) =>
        new Promise((resolve, reject) => {
          worker.once("error", reject);
          worker.once("message", (answer: { tally?: Tally; thrown?: string }) => {
            worker.removeListener("error", reject);
            if (answer.tally) resolve(answer.tally);
            else reject(new Error(answer.thrown));
          });
          worker.postMessage(share, []);
        }),
    );
  } finally {
    await worker.terminate();
  }
}
