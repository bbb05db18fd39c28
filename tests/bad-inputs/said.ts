import type { Result } from "../../lib/core/diagnostic.ts";
import { faults } from "../unit/config/project.ts";

/** The errors of a load as `code line:column`, in their order; nothing where it is sound. */
export function said(result: Result<unknown>): readonly string[] {
  return faults(result).map(({ code, at }) => (at === undefined ? code : `${code} ${at.line}:${at.column}`));
}

/** All of what a load says about its input, in one text: nothing else of it reaches the reader. */
export function wording(result: Result<unknown>): string {
  return JSON.stringify(result.ok ? result.warnings : result.diagnostics);
}
