import { resolve } from "node:path";
import type { ApplyEvent, ApplyReport } from "../apply/outcome.ts";
import { takeApproved } from "../approval/approve.ts";
import { revealer } from "../config/secrets.ts";
import { applyPlan } from "../engine/apply.ts";
import { type DriftOptions, findDrift, type FoundDrift } from "../engine/drift.ts";
import { makePlan, type Planned, type PlanOptions } from "../engine/plan.ts";
import type { Plan } from "../plan/change.ts";
import { lockHolder, type RealWorld, realWorld, type WorldOptions } from "./world.ts";

/** The world of one project. */
export interface OpenWorld extends RealWorld {
  /** The path of the project file. */
  readonly file: string;
}

/** What a world is opened with; everything has a default. */
export interface OpenWorldOptions extends Partial<WorldOptions> {
  /** The path of the project file; `zoneform.yaml` in the working directory when absent. */
  readonly file?: string;
  /** The environment to read credentials and secrets from; that of the process when absent. */
  readonly env?: WorldOptions["env"];
}

/**
 * Opens the world of a project: this machine's disk and clock, the state beside the project file, and the service.
 * Close it when you are done. Throws `Refusal` for bad credentials, a bad endpoint or a bad passphrase.
 */
export function openWorld(options: OpenWorldOptions = {}): OpenWorld {
  const file = resolve(options.file ?? "zoneform.yaml");
  return { ...realWorld({ ...options, file, env: options.env ?? process.env }), file };
}

/**
 * Plans a project as `zoneform plan` does: reads the YAML, the state and the service, and writes nothing. The same inputs
 * give the same plan, byte for byte. Throws `Refusal` with every mistake that it finds, and what the client throws.
 */
export function plan(world: OpenWorld, options: Omit<PlanOptions, "file"> = {}): Promise<Planned> {
  return makePlan(world, { ...options, file: world.file });
}

/** How a plan is applied: what it was made with, given again, and what else has a default. */
export interface ApplyRequest extends Omit<PlanOptions, "file" | "dnsCheck"> {
  /** How many changes may be under way at once; 8 when absent. */
  readonly parallelism?: number;
  /** How long to wait for the lock of a zone's state, in milliseconds; 0 when absent. */
  readonly lockWaitMilliseconds?: number;
  /** When no further change is started, in milliseconds since the epoch. */
  readonly deadlineMilliseconds?: number;
  /** Who approved the plan, for the record of the run; who runs this process when absent. */
  readonly approvedBy?: string;
  /** Is told how it goes. */
  readonly report?: (event: ApplyEvent) => void;
}

/**
 * Applies a plan as `zoneform apply FILE` does, and asks nobody: to call it is to approve the plan. It plans again and
 * carries out what was approved: what the YAML asks for since then is refused, and what is no longer needed is left out
 * (docs/semantics.md#approval). Each object is read again just before it is written, and left alone where it changed. What
 * goes wrong with a change stands in the report; nothing is thrown once a change has begun. Throws what `plan` throws, and
 * `Refusal` where the plan is that of another project, zone or state, or a secret is not to be had.
 */
export async function apply(world: OpenWorld, approved: Plan, request: ApplyRequest = {}): Promise<ApplyReport> {
  const { parallelism = 8, lockWaitMilliseconds = 0, deadlineMilliseconds, approvedBy, report, ...options } = request;
  const { plan: fresh } = await plan(world, options);
  const cut = await takeApproved(world.store, fresh, {
    saved: approved,
    ...(options.selection ? { selection: options.selection } : {}),
  });
  const holder = lockHolder(world.env, "apply");
  return applyPlan(world, cut.plan, {
    holder,
    approval: cut.approval,
    approved: { by: approvedBy ?? holder.who, how: "library" },
    parallelism,
    lockWaitMilliseconds,
    deadlineMilliseconds,
    reveal: revealer(world, world.file),
    report: report ?? (() => undefined),
  });
}

/**
 * Looks for what somebody changed since the last apply, as `zoneform drift` does, and writes nothing live. A zone that
 * cannot be looked at is in `failed`, and hides no other. Throws `Refusal` for mistakes in the YAML.
 */
export function drift(world: OpenWorld, options: Omit<DriftOptions, "file"> = {}): Promise<FoundDrift> {
  return findDrift(world, { ...options, file: world.file });
}
