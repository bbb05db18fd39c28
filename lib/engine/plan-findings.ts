import { counted, listed } from "../core/words.ts";
import { type Diagnostic, problem, warning } from "../core/diagnostic.ts";
import type { DesiredZone, LoadedProject } from "../config/desired.ts";
import { canonical, defined, type JsonObject } from "../core/json.ts";
import { isHostname } from "../kinds/registry.ts";
import { uploadRemarks } from "../kinds/custom-hostname/upload.ts";
import type { Change, ZonePlan } from "../plan/change.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { serviceNow } from "../plan/seen.ts";
import type { Client, Family } from "../service/client.ts";
import type { LoadedState } from "../state/load.ts";
import { unfinishedIn } from "../state/unfinished.ts";
import type { Claim } from "../state/zone/claims.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import { type DnsCheck, openPreflight, type Preflight } from "./checks/check-dns.ts";
import { type OtherProjects, otherProjects, stateLossFindings } from "./no-state.ts";
import type { ProjectWorld } from "./world.ts";
import { asObject, optionalObject, optionalText } from "../core/decode.ts";
import { ApiError } from "../service/errors.ts";

/** The world of one plan, with everything that its zones share; each part is read at most once. */
export interface PlanningWorld extends ProjectWorld {
  readonly claims: readonly Claim[];
  readonly others: () => Promise<OtherProjects>;
  /** The DNS checks, if requested. */
  readonly preflight: Preflight | undefined;
}

/** Opens everything that the zones of one plan share. */
export function openPlanning(
  world: ProjectWorld,
  claims: readonly Claim[],
  dnsCheck: DnsCheck | undefined,
): PlanningWorld {
  let others: Promise<OtherProjects> | undefined;
  return {
    ...world,
    claims,
    others: () => (others ??= otherProjects(world)),
    preflight: dnsCheck && openPreflight(dnsCheck),
  };
}

/** A zone's section of the plan, and its inputs. */
interface PlannedSection {
  readonly world: PlanningWorld;
  readonly project: LoadedProject;
  readonly input: PlanInput;
  readonly section: ZonePlan;
  readonly client: Client;
}

/** Finds one sort of finding that a plan reports beside its changes. */
type Find = (planned: PlannedSection) => readonly Diagnostic[] | Promise<readonly Diagnostic[]>;

/** All of them, in the order in which a plan prints them. */
const FINDS: readonly Find[] = [
  ({ world, input }) => (input.state ? [] : stateLossFindings(world, input.desired)),
  ({ section }) => section.findings,
  ({ project, input }) => (input.isDestroy ? [] : absentFindings(project, input.desired)),
  ({ project, input }) =>
    input.isDestroy ? [] : uploadFindings(project, input.desired, Date.parse(serviceNow(input))),
  ({ world, client, input, section }) => limitFindings(client, input, section, world.signal),
  ({ world, client, input, section }) => world.preflight?.check(client, input, section, world.signal) ?? [],
];

/** The findings of a zone that a plan reports beside its changes. Throws what the client throws. */
export async function findingsOf(planned: PlannedSection): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const find of FINDS) found.push(...(await find(planned)));
  return found;
}

/** How many objects that a run left unfinished to name before counting the rest. */
const MOST_UNFINISHED = 5;

/** A warning if the journal of a zone has changes of a stopped run. */
export async function unfinishedWarnings(
  store: ProjectStore,
  { id, name }: DesiredZone,
  loaded: LoadedState | undefined,
): Promise<readonly Diagnostic[]> {
  const unfinished = await unfinishedIn(store, id, loaded?.intents ?? []);
  if (!unfinished) return [];
  const { runs, addresses } = unfinished;
  const count = addresses.length;
  const stopped = warning({
    code: "journal-left",
    message: `${name}: run ${runs.join(", ")} was stopped before ${counted(count, "change")} had a result: ${listed(addresses, MOST_UNFINISHED)}`,
    remedy: `nothing to do: the next apply first finds out whether ${count === 1 ? "it" : "they"} took effect`,
  });
  return [stopped];
}

/** How many places of a code to name before counting the rest. */
const MOST_PLACES = 20;

/**
 * A warning for each unavailable secret: without it we cannot tell whether the uploaded certificate is the declared
 * one.
 */
export function absentFindings(project: LoadedProject, zone: DesiredZone): readonly Diagnostic[] {
  return [...project.absentSecrets].flatMap(([reference, { message, at }]) => {
    const names = zone.objects.filter(({ values }) => canonical(values).includes(reference)).map(({ key }) => key);
    const [first, ...others] = names;
    if (first === undefined) return [];
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    const values = { hostname: JSON.stringify(first), more, reason: message };
    return [warning(problem("secret-not-at-hand", values, defined({ at })))];
  });
}

/** Warnings about a zone's declared uploaded certificates at a given time; one for each place in the YAML. */
function uploadFindings(project: LoadedProject, zone: DesiredZone, now: number): readonly Diagnostic[] {
  const found = new Map<string, { readonly finding: Diagnostic; readonly hostname: string; more: number }>();
  for (const { kind, key, values, at } of zone.objects) {
    if (!isHostname(kind)) continue;
    const remarks = uploadRemarks(values, (reference) => project.secrets.get(canonical(reference)), now);
    if (remarks.length === 0) continue;
    for (const { path, code, message, remedy } of remarks) {
      const place = project.originOf(zone.name, { kind, key }, path.map(String))?.at ?? at;
      const known = found.get(`${code} ${place.file}:${place.line}:${place.column}`);
      if (known) known.more += 1;
      else
        found.set(`${code} ${place.file}:${place.line}:${place.column}`, {
          finding: warning({ code, message, remedy, at: place }),
          hostname: key,
          more: 0,
        });
    }
  }
  const told = [...found.values()].slice(0, MOST_PLACES).map(({ finding, hostname, more }) => {
    const others = more === 0 ? "" : ` and ${more} more hostnames`;
    return { ...finding, message: `custom_hostname[${JSON.stringify(hostname)}]${others}: ${finding.message}` };
  });
  const rest = found.size - told.length;
  return rest === 0 ? told : [...told, warning(problem("more-findings", { count: rest }))];
}

const MANAGED_PHASE = "http_request_firewall_managed";

/**
 * Limits of a zone that only the service knows and that planned changes would exceed. Each is read with one call (GET),
 * and only if a change could exceed it. If the call is refused, there is no finding, and the service decides.
 */
async function limitFindings(
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
