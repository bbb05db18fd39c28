import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Whether npm installed the package of this file with `--global`: its `node_modules` then belongs to no package. `file` is
 * a path; one in a clone is in no `node_modules`.
 */
export function isGlobal(
  file: string = fileURLToPath(import.meta.url),
  isThere: (path: string) => boolean = existsSync,
): boolean {
  const [, root] = /^(.*?)[\\/]node_modules[\\/]/.exec(file) ?? [];
  return root !== undefined && !isThere(`${root}/package.json`);
}
