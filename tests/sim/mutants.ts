import { DECISIONS } from "./mutants/decisions.ts";
import { DURABILITY } from "./mutants/durability.ts";
import { MEMORY } from "./mutants/memory.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { NETWORK } from "./mutants/network.ts";
import { SEALING } from "./mutants/sealing.ts";
import { SLIPS } from "./mutants/slips.ts";
import { SURVIVORS } from "./mutants/survivors.ts";

/** Every design mistake that the simulation has to notice. */
export const MUTANTS: readonly Mutant[] = [
  ...DURABILITY,
  ...MEMORY,
  ...NETWORK,
  ...DECISIONS,
  ...SEALING,
  ...SLIPS,
  ...SURVIVORS,
];
