import { defined } from "../lib/core/defined.ts";
import type { ProjectOptions } from "../lib/engine/world.ts";
import type { ProjectFlags } from "./context.ts";

/** The configuration that the flags name. */
export function projectOptions(flags: ProjectFlags): ProjectOptions {
  return {
    file: flags.config,
    ...defined({ sources: flags.source, zones: flags.zone }),
  };
}
