import { problem, refusal } from "../lib/core/diagnostic.ts";
import { decodePlan, encodePlan, type SavedPlan } from "../lib/plan/file.ts";
import type { Context } from "./context.ts";
import { type Intact, refuseSecrets } from "./outputs.ts";
import { writeOutput } from "./output-file.ts";
import type { RealWorld } from "../lib/real/world.ts";
import type { FileSystem } from "../lib/core/file-system.ts";
import { shellQuoted } from "../lib/core/quote.ts";
import { readLines } from "./files.ts";

const PLAN: Intact = {
  name: "the plan file",
  remedy:
    "find the secret in the YAML, in live or among the credentials of the environment, remove it there, then plan again",
};

/** Saves a plan with its selection. Throws `Refusal` if it would contain a secret, and if the disk refuses. */
export async function savePlan(
  context: Context,
  { endpoint }: Pick<RealWorld, "endpoint">,
  file: string,
  made: Omit<SavedPlan, "endpoint">,
): Promise<void> {
  const saved = { ...made, endpoint };
  // Encoded twice, so that the lines of a large plan are never all in memory.
  refuseSecrets(context, encodePlan(saved), PLAN);
  await writeOutput(context, file, encodePlan(saved));
}

/**
 * Reads a saved plan and its selection. Throws `Refusal` for a damaged one, and for one that was made against another
 * endpoint.
 */
export async function readSavedPlan(context: Context, world: RealWorld, file: string): Promise<SavedPlan> {
  const saved = await decodePlan(planLines(world.fs, context.cwd, file), file);
  if (saved.endpoint === world.endpoint) return saved;
  const message = `${file} was made against ${saved.endpoint}, but this run calls ${world.endpoint}`;
  throw refusal(problem("plan-of-another-endpoint", { message }));
}

/** The lines of a plan file. Throws `Refusal` if it cannot be read. */
export function planLines(fs: FileSystem, cwd: string, path: string): AsyncIterable<string> {
  const remedy = `make the plan again with: zoneform plan --out ${shellQuoted(path)}`;
  return readLines(fs, cwd, path, { name: "the plan file", damage: "plan-file-damaged", remedy });
}
