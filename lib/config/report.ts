import type { Diagnostic } from "../core/diagnostic.ts";

/** Takes note of what is wrong. Gives undefined, so that a step without an outcome can end with it. */
export type Report = (diagnostic: Diagnostic) => undefined;
