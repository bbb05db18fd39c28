import type { JsonObject } from "../../core/json.ts";
import type { Plan } from "../../plan/change.ts";
import { terraformActions } from "./terraform.ts";

/**
 * GitLab's report of a plan, which it shows in the merge request: how many resources would be created, updated and
 * deleted, as GitLab counts them in a plan of Terraform. A replacement is both created and deleted.
 */
export function planGitlab(plan: Plan): JsonObject {
  const counts = { create: 0, update: 0, delete: 0, forget: 0, "no-op": 0 };
  for (const action of terraformActions(plan)) counts[action] += 1;
  const { create, update, delete: deleted } = counts;
  return { create, update, delete: deleted };
}
