import { NAMED } from "./names.ts";
import { counted, listed } from "../../core/words.ts";
import { type Diagnostic, type Position, problem, warning } from "../../core/diagnostic.ts";
import { defined } from "../../core/json.ts";
import type { DesiredObject } from "../../config/desired.ts";
import { optionalBoolean, optionalText } from "../../core/decode.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import { planAddress } from "../../plan/targets.ts";
import { kindNamed } from "../../kinds/registry.ts";
import type { Client } from "../../service/client.ts";
import { ApiError } from "../../service/errors.ts";
import type { Dns } from "../../core/dns.ts";
import type { Change, ZonePlan } from "../../plan/change.ts";
import { refusalOfDenied } from "../../plan/guards.ts";
import { writeOf } from "../../plan/write.ts";

/** The fallback origin that a zone has, or will have after this plan. */
export interface FallbackOrigin {
  readonly origin: string;
  readonly address: string;
  /** Where it is declared. */
  readonly at?: Position;
}

/** A DNS record of the zone. */
export interface DnsRecord {
  /** Lower case. */
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly proxied: boolean;
}

/** Types of records that the service can proxy (docs/service.md#dns-records). */
const PROXIABLE = ["A", "AAAA", "CNAME"];
/** Codes for a credential that lacks the permission; the HTTP status is often 400 (docs/service.md#error-codes). */
const NOT_ALLOWED = [9109, 10000, 10001];

/** The declared fallback origin, else the live one, which is read (GET) if the plan did not read it. */
export async function findFallbackOrigin(
  client: Client,
  { desired, live, isOneOfMany }: PlanInput,
  signal?: AbortSignal,
): Promise<FallbackOrigin | undefined> {
  const address = planAddress({ desired, isOneOfMany }, "fallback_origin", "");
  const declared = desired.objects.find(({ kind }) => kind === "fallback_origin");
  const wanted = declared && optionalText(declared.values, "origin");
  if (declared && wanted !== undefined) return { origin: wanted, address, at: declared.at };
  const read = live.objects.get("fallback_origin");
  const found = read
    ? read.get("")
    : await kindNamed("fallback_origin").read(client, desired.id, { id: desired.id, key: "" }, signal);
  const origin = found && optionalText(found.values, "origin");
  return origin === undefined ? undefined : { origin, address };
}

/** Hostnames that would lead nowhere: neither they nor the zone have an origin. */
export function missingOrigin({ desired }: PlanInput, hostnames: readonly DesiredObject[]): readonly Diagnostic[] {
  const names = hostnames.filter(({ values }) => optionalText(values, "custom_origin_server") === undefined);
  if (names.length === 0) return [];
  const hostless = `${counted(names.length, "custom hostname")} no origin of their own: ${listed(
    names.map(({ key }) => key),
    NAMED,
  )}`;
  const message = `${desired.name} has no fallback origin, neither live nor declared, and ${hostless}`;
  const remedy = `declare fallback_origin: { origin: NAME }, with a name that has a proxied A, AAAA or CNAME record in ${desired.name}`;
  return [warning({ code: "no-fallback-origin", message, remedy, at: desired.at })];
}

/**
 * Problems of the DNS record behind the fallback origin: it must exist and be proxied (docs/service.md#dns-records).
 */
export async function recordFindings(
  client: Client,
  { desired }: PlanInput,
  fallback: FallbackOrigin,
  signal?: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const { origin, address, at } = fallback;
  const where = { address, ...defined({ at }) };
  const records = await readRecords(client, desired.id, origin, signal);
  const zone = desired.name;
  if (records === undefined) return [warning(problem("dns-records-unreadable", { zone, origin }, where))];
  const [first] = records;
  if (!first) {
    const remedy = `add one to the zone, proxied: ${origin}. A, AAAA or CNAME with the address or name of the origin`;
    return [warning(problem("fallback-record-missing", { zone, origin }, { remedy, ...where }))];
  }
  if (records.some(({ proxied }) => proxied)) return [];
  const record = `${origin}. ${first.type} ${first.content}`;
  return [warning(problem("fallback-record-unproxied", { record }, where))];
}

/** Page sizes for records: a zone may have thousands, and the service allows millions; 100 is its default. */
const PAGE_SIZES = [5000, 100] as const;

/** The proxiable records of a name or (undefined) of the whole zone; undefined if the credential may not read them. */
export async function readRecords(
  client: Client,
  zone: string,
  wanted: string | undefined,
  signal?: AbortSignal,
): Promise<readonly DnsRecord[] | undefined> {
  const path = `/zones/${zone}/dns_records`;
  const query = wanted === undefined ? {} : { "name.exact": wanted };
  const found: DnsRecord[] = [];
  try {
    const pages = client.pages({ path, query, family: "dns_records", pageSizes: PAGE_SIZES, style: "page" }, signal);
    for await (const record of pages) {
      const type = optionalText(record, "type") ?? "";
      const name = optionalText(record, "name")?.toLowerCase() ?? "";
      const isMeant = (wanted === undefined || name === wanted) && PROXIABLE.includes(type);
      const content = optionalText(record, "content") ?? "";
      if (isMeant) found.push({ name, type, content, proxied: optionalBoolean(record, "proxied") ?? false });
    }
    return found;
  } catch (failure) {
    if (isNotAllowed(failure)) return undefined;
    throw failure;
  }
}

function isNotAllowed(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) return false;
  return failure.status === 401 || failure.status === 403 || NOT_ALLOWED.some((code) => failure.has(code));
}

/** The observation about a name: a problem, or why we could not see it. */
type Seen = { readonly because: string } | { readonly note: string } | undefined;

/**
 * The section with the hazards that only an observation shows: an outage if the fallback origin is set to a name that
 * does not lead to a proxied record of the zone. No digest covers them. Without permission to read the zone's records,
 * it queries DNS if available.
 */
export async function addObserved(
  client: Client,
  input: PlanInput,
  section: ZonePlan,
  dns?: Dns,
  signal?: AbortSignal,
): Promise<ZonePlan> {
  const change = section.changes.find(setsOrigin);
  const origin = change?.desired && optionalText(change.desired, "origin");
  if (!change || origin === undefined) return section;
  const seen = await see(client, input, origin, dns, signal);
  const changes = section.changes.map((each) => (each === change ? withSeen(change, input, seen) : each));
  return { ...section, changes };
}

function setsOrigin(change: Change): boolean {
  return change.kind === "fallback_origin" && (writeOf(change) === "create" || writeOf(change) === "update");
}

async function see(
  client: Client,
  { desired }: PlanInput,
  origin: string,
  dns: Dns | undefined,
  signal: AbortSignal | undefined,
): Promise<Seen> {
  const records = await readRecords(client, desired.id, origin, signal);
  if (records === undefined) return seeByDns(origin, dns);
  if (records.length === 0) return { because: `${desired.name} has no A, AAAA or CNAME record for ${origin}` };
  return records.some(({ proxied }) => proxied) ? undefined : { because: `the record of ${origin} is not proxied` };
}

async function seeByDns(origin: string, dns: Dns | undefined): Promise<Seen> {
  const answer = await dns?.resolveAddresses(origin);
  if (answer?.status === "not-found" || answer?.status === "no-answer")
    return { because: `${origin} does not resolve` };
  return { note: `whether ${origin} has a proxied record cannot be told: the token lacks DNS Read for the zone` };
}

function withSeen(change: Change, { selection }: PlanInput, seen: Seen): Change {
  if (!seen) return change;
  if ("note" in seen) return { ...change, notes: [...change.notes, seen.note] };
  const observed = [{ hazard: "outage", because: seen.because } as const];
  const isDenied = selection.deny.includes("outage") && !change.refused;
  return { ...change, observed, ...(isDenied ? { refused: refusalOfDenied("outage") } : {}) };
}
