import {
  APPROVALS,
  CALLS,
  COMMANDS,
  CONFLICTS,
  DNS,
  FINDINGS,
  GUARDS,
  PROJECT,
  RUNS,
  SECRETS,
  SOURCES,
  STATES,
  TRACKING,
  VALUES,
  YAML,
} from "../../core/codes.ts";
import type { DiagnosticCode, KindCodes } from "../../core/diagnostic-code.ts";
import type { Meant } from "../../service/explanations/statuses.ts";

/**
 * Zoneform's own codes, which stand in brackets behind its messages, but for those that one kind alone raises
 * (`Identity.ownCodes`). What a command was asked for and what a plan says come first, and the files of a project last.
 */
export const OWN_CODES: Readonly<Record<Exclude<DiagnosticCode, keyof KindCodes>, Meant>> = {
  ...GUARDS,
  ...APPROVALS,
  ...FINDINGS,
  ...DNS,
  ...CONFLICTS,
  ...CALLS,
  ...STATES,
  ...RUNS,
  ...TRACKING,
  ...COMMANDS,
  ...SECRETS,
  ...SOURCES,
  ...PROJECT,
  ...VALUES,
  ...YAML,
};
