// The public API of the package: every name that others may use, and nothing else (docs/library.md).
export type { ApplyEvent, ApplyReport, Ended, Outcome, ZoneReport } from "./apply/outcome.ts";
export type { DesiredObject, DesiredZone, LoadedProject } from "./config/desired.ts";
export type { Clock, Random } from "./core/clock.ts";
export { type Diagnostic, Refusal } from "./core/diagnostic.ts";
export type { CaaRecord, Dns, DnsAnswer } from "./core/dns.ts";
export { EXIT, type ExitCode } from "./core/exit-code.ts";
export type { FileSystem } from "./core/file-system.ts";
export type { FoundDrift, ZoneDrift } from "./engine/drift.ts";
export { applyExit } from "./engine/exit.ts";
export type { World } from "./engine/world.ts";
export type { Kind } from "./kinds/kind.ts";
export type { Hazard } from "./kinds/hazards.ts";
export type { Action, Change, Plan, ZonePlan } from "./plan/change.ts";
export { decodePlan, encodePlan, type SavedPlan } from "./plan/file.ts";
export type { PlanScope } from "./plan/scope.ts";
export type { DnsCheck } from "./engine/checks/check-dns.ts";
export { openDns } from "./real/dns.ts";
export { driftExit, type ExitCodes, planExit } from "./real/exit-codes.ts";
export {
  apply,
  type ApplyRequest,
  drift,
  type DriftRequest,
  type MadePlan,
  memoryStores,
  openWorld,
  type OpenWorld,
  type OpenWorldOptions,
  plan,
  type PlanRequest,
} from "./real/project.ts";
export { driftReport } from "./report/commands/drift.ts";
export { planDocument } from "./report/plan/json.ts";
export { planMarkdown, planText } from "./report/plan.ts";
export { type PageWords, reportPage } from "./report/printers/html.ts";
export { type MarkdownOptions, reportMarkdown } from "./report/printers/markdown.ts";
export { type Printing, reportText } from "./report/printers/text.ts";
export { runReport } from "./report/run/report.ts";
export { planReport, type PlanWords } from "./report/sections/plan.ts";
export type { Report } from "./report/sections/report.ts";
export { planTerraform, type TerraformOptions } from "./report/printers/terraform.ts";
export { reportDocument } from "./report/run/report-json.ts";
export type { Client } from "./service/client.ts";
export type { Http } from "./service/http.ts";
export type { State, StateObject } from "./state/state.ts";
export type { StateStores } from "./state/stores.ts";
export type { ProjectStore } from "./state/zone/store.ts";
