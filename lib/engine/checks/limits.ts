import { problem } from "../../core/problem.ts";
import { defined } from "../../core/defined.ts";
import { asObject, optionalObject, optionalText } from "../../core/decode.ts";
import { type Diagnostic, warning } from "../../core/diagnostic.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Change, ZonePlan } from "../../plan/change.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import type { Client, Family } from "../../service/client.ts";
import { ApiError } from "../../service/errors.ts";

const MANAGED_PHASE = "http_request_firewall_managed";

/**
 * Limits of a zone that only the service knows and that planned changes would exceed. Each is read with one call (GET),
 * and only if a change could exceed it. If the call is refused, there is no finding, and the service decides.
 */
export async function limitFindings(
  client: Client,
  input: PlanInput,
  { changes }: ZonePlan,
  signal?: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const writes = changes.filter(({ refused }) => !refused);
  const ask = (path: string, family: Family): Promise<JsonObject | undefined> =>
    answerOf(client, { path: `/zones/${input.desired.id}${path}`, family }, signal);
  return [...(await earlyRules(input, writes, ask)), ...(await packsBeyondQuota(input, writes, ask))];
}

type Ask = (path: string, family: Family) => Promise<JsonObject | undefined>;

async function answerOf(
  client: Client,
  { path, family }: { readonly path: string; readonly family: Family },
  signal: AbortSignal | undefined,
): Promise<JsonObject | undefined> {
  try {
    return asObject(await client.send({ method: "GET", path, family }, signal), "result");
  } catch (failure) {
    if (failure instanceof ApiError) return undefined;
    throw failure;
  }
}

/** Before their migration, Pro and Business zones may only save managed rules that are disabled (docs/service.md#waf-migration). */
async function earlyRules({ desired, live }: PlanInput, changes: readonly Change[], ask: Ask): Promise<Diagnostic[]> {
  const level = live.subscription?.status === "known" ? live.subscription.level : undefined;
  if (level !== "pro" && level !== "business") return [];
  const entryPoint = changes.find(
    (change) => change.kind === "ruleset" && change.key === MANAGED_PHASE && savesEnabled(change),
  );
  if (!entryPoint) return [];
  const status = await ask("/waf_migration/status", "waf");
  if (status === undefined || optionalText(status, "migration_state") !== "start") return [];
  const { address, at } = entryPoint;
  const values = { zone: desired.name, level: level === "pro" ? "Pro" : "Business" };
  return [warning(problem("rules-before-migration", values, { address, ...defined({ at }) }))];
}

function savesEnabled({ action, rules, desired }: Change): boolean {
  const isWritten = action === "create" || action === "update" || action === "adopt";
  const declared = desired?.["rules"];
  return (
    isWritten &&
    rules.length > 0 &&
    Array.isArray(declared) &&
    declared.some((rule: JsonObject) => rule["enabled"] !== false)
  );
}

/** Ordering a pack beyond the quota fails with 1405; without the certificate manager the quota is 0 (1450). */
async function packsBeyondQuota({ desired }: PlanInput, changes: readonly Change[], ask: Ask): Promise<Diagnostic[]> {
  // A replacement is ordered before the old pack is deleted.
  const ordered = changes.filter(
    ({ kind, action }) => kind === "certificate_pack" && (action === "create" || action === "replace"),
  );
  if (ordered.length === 0) return [];
  const quota = optionalObject((await ask("/ssl/certificate_packs/quota", "certificate_packs")) ?? {}, "advanced");
  const [allocated, used] = [quota?.["allocated"], quota?.["used"]];
  if (typeof allocated !== "number" || typeof used !== "number" || used + ordered.length <= allocated) return [];
  const planned = ordered.length === 1 ? "1 certificate pack" : `${ordered.length} certificate packs`;
  const remedy =
    allocated === 0 ? "order Advanced Certificate Manager for the zone (Cloudflare answers 1450 without it)" : "";
  const values = { planned, zone: desired.name, used, allocated };
  return [warning(problem("pack-quota", values, { remedy, at: desired.at }))];
}
