import { error, Refusal } from "../lib/core/diagnostic.ts";
import { decodePlan, type SavedPlan } from "../lib/plan/file.ts";
import type { Context } from "./context.ts";
import { readLines } from "./files.ts";
import type { ServiceWorld } from "./world.ts";

/** Reads a plan that was saved, with what it was asked to be about. Throws `Refusal` for one that is damaged, or was made against another endpoint. */
export async function savedPlan(context: Context, world: ServiceWorld, file: string): Promise<SavedPlan> {
  const saved = await decodePlan(readLines(world.fs, context.cwd, file), file);
  if (saved.endpoint === world.endpoint) return saved;
  throw new Refusal([
    error({
      code: "plan-of-another-endpoint",
      message: `${file} was made against ${saved.endpoint}, and this run calls ${world.endpoint}`,
      remedy: "set CLOUDFLARE_BASE_URL or --api-url as it was when the plan was made, or plan again",
    }),
  ]);
}
