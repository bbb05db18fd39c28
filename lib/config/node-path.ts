import type { NodePath } from "./node.ts";

/** A path as people read it: `custom_hostnames.policies[0].set.ssl`. */
export function nameOf(path: NodePath): string {
  if (path.length === 0) return "the file";
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      return `${index === 0 ? "" : "."}${/^[\w-]+$/.test(step) ? step : JSON.stringify(step)}`;
    })
    .join("");
}
