import { parseArgs } from "node:util";

/** The options of the command line. */
export interface Options {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  /** Play each seed twice, and compare. */
  readonly isTwice: boolean;
  /** Runs report every request and print everything, to be searched for secrets. */
  readonly isLoud: boolean;
  /** States are in a database, by its model. */
  readonly isOnDatabase: boolean;
  /** Only this seed, with everything that happens in it. */
  readonly only: number | undefined;
  /** Ends at the first violation, and neither shrinks nor writes anything. */
  readonly isHunt: boolean;
}

/** Reads the command line. Throws for unknown options. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: "string", default: "1" },
      seeds: { type: "string", default: "1000" },
      workers: { type: "string", default: "1" },
      seed: { type: "string" },
      twice: { type: "boolean", default: false },
      debug: { type: "boolean", default: false },
      database: { type: "boolean", default: false },
      hunt: { type: "boolean", default: false },
    },
  });
  return {
    from: whole("from", values.from),
    seeds: whole("seeds", values.seeds),
    workers: Math.max(1, whole("workers", values.workers)),
    isTwice: values.twice,
    isLoud: values.debug,
    isOnDatabase: values.database,
    only: values.seed === undefined ? undefined : whole("seed", values.seed),
    isHunt: values.hunt,
  };
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`--${name} takes a whole number, not ${JSON.stringify(text)}`);
  return value;
}
