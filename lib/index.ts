// The public API of the package: every name that others may use, and nothing else.
export type { ApplyEvent, ApplyReport, Ended, Outcome, ZoneReport } from "./apply/outcome.ts";
export type { Desired, DesiredObject, DesiredZone, LoadedProject } from "./config/desired.ts";
export type { Clock, Random } from "./core/clock.ts";
export { type Diagnostic, Refusal, type Result } from "./core/diagnostic.ts";
export type { CaaRecord, Dns, DnsAnswer } from "./core/dns.ts";
export { EXIT, type ExitCode } from "./core/exit-code.ts";
export type { FileSystem } from "./core/file-system.ts";
export {
  applyPlan,
  type ApplyOptions,
  makePlan,
  type Planned,
  type PlanOptions,
  readProject,
  type World,
} from "./engine.ts";
export { applyExit, driftExit, exitOf, planExit } from "./exit.ts";
export type { Action, Change, Plan, ZonePlan } from "./plan/change.ts";
export { decodePlan, encodePlan } from "./plan/file.ts";
export type { DnsCheck } from "./preflight/check-dns.ts";
export { planDocument } from "./render/json.ts";
export { type MarkdownOptions, planMarkdown } from "./render/markdown.ts";
export { planText } from "./render/text.ts";
export type { Hazard, Kind } from "./resources/kind.ts";
export type { Client } from "./service/client.ts";
export type { Http } from "./service/http.ts";
export type { State, StateObject } from "./state/state.ts";
export type { StateStore } from "./state/store.ts";
