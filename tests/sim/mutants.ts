import { BEYOND } from "./mutants/beyond.ts";
import { DECISIONS } from "./mutants/decisions.ts";
import { DURABILITY } from "./mutants/durability.ts";
import { EVIDENCE } from "./mutants/evidence.ts";
import { FRESH_READS } from "./mutants/fresh-reads.ts";
import { MEMORY } from "./mutants/memory.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { NETWORK } from "./mutants/network.ts";
import { REPORTS } from "./mutants/reports.ts";
import { SEALING } from "./mutants/sealing.ts";
import { SETTINGS } from "./mutants/settings.ts";
import { SLIPS } from "./mutants/slips.ts";
import { STATES } from "./mutants/states.ts";
import { SURVIVORS } from "./mutants/survivors.ts";
import { ZONES } from "./mutants/zones.ts";

/** Every design mistake that the simulation, or a test that the mutant names, has to notice. */
export const MUTANTS: readonly Mutant[] = [
  ...DURABILITY,
  ...MEMORY,
  ...NETWORK,
  ...FRESH_READS,
  ...EVIDENCE,
  ...DECISIONS,
  ...REPORTS,
  ...SEALING,
  ...SLIPS,
  ...STATES,
  ...SURVIVORS,
  ...BEYOND,
  ...ZONES,
  ...SETTINGS,
];
