import { parseArgs } from "node:util";
import type { Place } from "./derive.ts";

/** The options of the command line. */
export interface Options {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  /** Play each seed twice, and compare. */
  readonly isTwice: boolean;
  /** Runs report every request and print everything, to be searched for secrets. */
  readonly isLoud: boolean;
  /** Where the states are. */
  readonly place: Place;
  /** Only this seed, with everything that happens in it. */
  readonly only: number | undefined;
  /** Ends at the first violation, and neither shrinks nor writes anything. */
  readonly isHunt: boolean;
  /** Shrinks what broke a promise, and keeps it. */
  readonly isShrinking: boolean;
}

/** Reads the command line. Throws for unknown options. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      from: { type: "string", default: "1" },
      seeds: { type: "string", default: "1000" },
      workers: { type: "string", default: "1" },
      seed: { type: "string" },
      twice: { type: "boolean", default: false },
      debug: { type: "boolean", default: false },
      database: { type: "boolean", default: false },
      http: { type: "boolean", default: false },
      s3: { type: "boolean", default: false },
      hunt: { type: "boolean", default: false },
      shrink: { type: "boolean", default: true },
    },
  });
  return {
    from: whole("from", values.from),
    seeds: whole("seeds", values.seeds),
    workers: Math.max(1, whole("workers", values.workers)),
    isTwice: values.twice,
    isLoud: values.debug,
    place: placeOf(values),
    only: values.seed === undefined ? undefined : whole("seed", values.seed),
    isHunt: values.hunt,
    isShrinking: values.shrink && !values.hunt,
  };
}

function placeOf(values: { readonly s3: boolean; readonly http: boolean; readonly database: boolean }): Place {
  if (values.s3) return "s3";
  if (values.http) return "http";
  return values.database ? "database" : "disk";
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`--${name} takes a whole number, not ${JSON.stringify(text)}`);
  return value;
}
