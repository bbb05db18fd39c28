import type { Change } from "./change.ts";

/** What a change does live: an adoption writes only if something differs; every other action does what it is called. */
export function writeOf({
  action,
  leaves,
  rules,
}: Pick<Change, "action" | "leaves" | "rules">): "create" | "update" | "replace" | "delete" | undefined {
  switch (action) {
    case "create":
    case "update":
    case "replace":
    case "delete":
      return action;
    case "adopt":
      return leaves.length + rules.length === 0 ? undefined : "update";
    case "forget":
    case "held":
    case "no-op":
      return undefined;
    default:
      return action satisfies never;
  }
}

/** Whether an object that is live gets other values while it is adopted: then something is sent. */
export function adoptsAndUpdates(change: Parameters<typeof writeOf>[0]): boolean {
  return change.action === "adopt" && writeOf(change) !== undefined;
}
