import { bucketStores } from "../../lib/state/engines/s3/engine.ts";
import { type BucketFault, type BucketRequest, memoryBucket } from "../support/memory-bucket.ts";
import { textInBucket } from "../support/s3-head.ts";
import { type Dice, diceOf, randomOf } from "./dice.ts";
import type { Machine } from "./machine.ts";
import { PROJECT, type Shelf } from "./shelf.ts";
import { steadyOf } from "./sim-clock.ts";

/** A request costs a round trip. */
const SLOWEST_REQUEST_MILLISECONDS = 30;

/** Whoever repairs waits for a dead run's lock. */
const CALM_WAIT_MILLISECONDS = 150_000;

const FAULTS = ["lost", "lost-reply", "busy"] as const satisfies readonly BucketFault[];

/** States in a bucket: the store itself, over a bucket in memory whose requests fail as the seed draws it. */
export function bucketShelf(machine: Machine, seed: number): Shelf {
  const { scheduler, trace } = machine;
  const drawn = diceOf(seed * 64 + 57);
  const faultRate = drawn.pick([0, 0.01, 0.05]);
  const bucket = memoryBucket(() => scheduler.now());

  function faultOf(dice: Dice): (...request: BucketRequest) => BucketFault | undefined {
    return (operation, key) => {
      const fault = dice.chance(faultRate) ? dice.pick(FAULTS) : undefined;
      trace.note(`bucket ${operation} ${key}`, fault ?? "");
      return fault;
    };
  }

  return {
    open: ({ process, clock, random, dice, isCalm, witness, released = () => undefined }) => {
      const way = bucket.open({
        ...(isCalm ? {} : { fault: faultOf(dice) }),
        // A process is stopped and killed where it changes something, as on the disk.
        carry: ([operation, key], act, bytes) => {
          const delay = dice.fraction() * SLOWEST_REQUEST_MILLISECONDS;
          const arrive = (): { readonly result: ReturnType<typeof act> } => {
            trace.note(`arrives ${operation} ${key}`, "");
            const before = bucket.peek(key);
            const result = act();
            // A process that has lost its lock sends what it read before there was a passphrase: the bucket refuses it.
            if (bytes) witness("the bucket", addedText(bytes, before), { isRefused: result === undefined });
            return { result };
          };
          const carried = operation === "get" ? scheduler.after(process, delay, arrive) : process.touch(delay, arrive);
          return carried.then(({ result }) => result);
        },
      });
      const stores = bucketStores(way, "", "s3://sim", {
        clock,
        steady: steadyOf(machine, process),
        random,
        isTrusted: true,
      });
      void process.gone.then(() => stores.close());
      return stores.over((engine) => ({
        ...engine,
        lock: async (key, holder, waitMilliseconds, signal) => {
          const { lease, view } = await engine.lock(
            key,
            holder,
            waitMilliseconds + (isCalm ? CALM_WAIT_MILLISECONDS : 0),
            signal,
          );
          // The one before may have lost it without knowing.
          released(key.zone);
          const release = async (): Promise<void> => {
            await lease.release();
            released(key.zone);
          };
          return { lease: { ...lease, release }, view };
        },
      }));
    },
    baseOf: (zone) => `nowhere/${zone}`,
    look: () => {
      const clock = { now: () => Math.floor(scheduler.now()), sleep: never };
      const steady = { now: () => scheduler.now(), sleep: never, rest: never };
      return bucketStores(bucket.open(), "", "s3://sim", { clock, steady, random: randomOf(diceOf(0)) });
    },
    durable: (zone, part) => textInBucket(bucket, PROJECT, zone, part),
  };
}

/**
 * What a write adds to an object: an object of many lines is replaced as a whole, and those that were there before a
 * passphrase was set stay as they are.
 */
function addedText(bytes: Uint8Array, before: Uint8Array | undefined): string {
  const text = Buffer.from(bytes).toString("utf8");
  if (!before) return text;
  const known = new Set(wordsIn(Buffer.from(before).toString("utf8")));
  return wordsIn(text)
    .filter((word) => !known.has(word))
    .join("\n");
}

/** The texts in quotes of a JSON document. */
function wordsIn(json: string): readonly string[] {
  return json.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
