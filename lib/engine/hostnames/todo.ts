import { NAMED } from "../checks/names.ts";
import { type Diagnostic, problem, warning } from "../../core/diagnostic.ts";
import { optionalText, texts } from "../../core/decode.ts";
import type { HostnameDetails, RecordToSet } from "../../kinds/custom-hostname/details.ts";
import { saysOneOf } from "../../service/explanations/statuses.ts";
import type { Dns, CaaRecord } from "../../core/dns.ts";
import { listed } from "../../core/words.ts";
import { several } from "../../core/lists.ts";
import { LOOKED_UP_AT_ONCE, openLookUps } from "../checks/check-dns.ts";
import { isBlockedByCaa } from "../../kinds/custom-hostname/states.ts";
import type { Live } from "../../kinds/live.ts";
import { valueAt } from "../../core/json.ts";
import { candidatesOf, type Coverage, isUnderstood, issuerOf, type IssueTag, lackingTags } from "../checks/caa.ts";
import { type RelevantCaa, relevantCaa, nameAbove, registeredDomain } from "../checks/evidence.ts";

/**
 * A record that a customer still has to set. `alternative` does the same as another record of the same purpose, or
 * becomes unnecessary once traffic reaches the zone; `remove` exists and has to be removed.
 */
export interface Todo extends RecordToSet {
  readonly purpose: "traffic" | "ownership" | "certificate";
  readonly need: "required" | "alternative" | "remove";
}

/** What is left to do for one hostname. */
export interface HostnameTodo {
  readonly hostname: string;
  readonly status: string;
  readonly sslStatus: string | undefined;
  readonly records: readonly Todo[];
  /** The errors that the service reports. */
  readonly said: readonly string[];
}

/**
 * What a customer still has to set for a hostname; undefined for nothing. `target` is the name that customers point
 * theirs at, `caa` are the records that let the CA issue if `isBlockedByCaa`. An active hostname that renews by itself
 * needs nothing.
 */
export function todoOf(hostname: HostnameDetails, target: string, caa: readonly Todo[] = []): HostnameTodo | undefined {
  const { live } = hostname;
  const status = optionalText(live.status, "status") ?? "unknown";
  const sslStatus = optionalText(live.status, "ssl_status");
  // A status that explains a missing certificate hides the one that says whether the name is verified.
  const isVerified =
    status === "active" || status === "active_redeploying" || (status === "caa_error" && isProven(hostname));
  const said = [...texts(live.status, "verification_errors"), ...texts(live.status, "validation_errors")];
  const records = [
    ...caa,
    ...(isVerified ? [] : trafficAndOwnership(hostname, target, said)),
    ...certificate(hostname),
  ];
  if (records.length === 0) return undefined;
  return { hostname: live.key, status, sslStatus, records, said };
}

function trafficAndOwnership({ live, ownership }: HostnameDetails, target: string, said: readonly string[]): Todo[] {
  const cname: Todo = { purpose: "traffic", need: "required", type: "CNAME", name: live.key, value: target };
  // A token cannot prove a name that the service already serves (docs/service.md#hostname-lifecycle).
  if (saysOneOf(said, "token-useless")) return [cname];
  return [cname, ...ownership.map((proof) => ({ ...proof, purpose: "ownership", need: "alternative" }) as const)];
}

/** The service itself serves the file once traffic reaches it; a delegation makes the TXT records unnecessary. */
function certificate({ validation, delegation }: HostnameDetails): Todo[] {
  return [
    ...validation.map((record) => {
      const need = record.type === "HTTP" ? "alternative" : "required";
      return { ...record, purpose: "certificate", need } as const;
    }),
    ...delegation.map((record) => ({ ...record, purpose: "certificate", need: "alternative" }) as const),
  ];
}

/** The service drops the proofs of ownership once one was found (docs/service.md#custom-hostname-record). */
function isProven({ live, ownership }: HostnameDetails): boolean {
  return ownership.length === 0 && texts(live.status, "verification_errors").length === 0;
}

/** What the records for customers depend on. */
export interface TodoSurroundings {
  /** The name that customers point theirs at. */
  readonly target: string;
  /** Queried only about hostnames whose certificate CAA records block. */
  readonly dns: Dns;
  /** The CA that was chosen for a hostname, as far as known. */
  readonly chosenFor: (live: Live) => string | undefined;
}

/**
 * What customers still have to set, for each hostname with something left to do, and warnings about uncertain records.
 */
export async function todosOf(
  hostnames: AsyncIterable<HostnameDetails>,
  { target, dns, chosenFor }: TodoSurroundings,
  signal?: AbortSignal,
): Promise<{ readonly todos: readonly HostnameTodo[]; readonly findings: readonly Diagnostic[] }> {
  const found: HostnameDetails[] = [];
  for await (const hostname of hostnames) found.push(hostname);
  const blocked = found.filter(({ live }) => isBlockedByCaa(live.status));
  const lookUps = openLookUps(dns);
  const look = (hostname: HostnameDetails): Promise<CaaTodo> => {
    signal?.throwIfAborted();
    return caaTodo(lookUps, hostname, chosenFor(hostname.live));
  };
  const caa = new Map(await several(blocked, look, LOOKED_UP_AT_ONCE));
  signal?.throwIfAborted();
  const doubted = (doubt: CaaTodo["doubt"]): readonly string[] =>
    blocked.filter((hostname) => caa.get(hostname)?.doubt === doubt).map(({ live }) => live.key);
  return {
    todos: found.flatMap((hostname) => todoOf(hostname, target, caa.get(hostname)?.records) ?? []),
    findings: [...allowedNow(doubted("allowed")), ...unseen(doubted("unseen"))],
  };
}

function allowedNow(hostnames: readonly string[]): Diagnostic[] {
  if (hostnames.length === 0) return [];
  const named = hostnames.length === 1 ? hostnames.join("") : "HOSTNAME …";
  return [warning(problem("caa-allows-now", { hostnames: listed(hostnames, NAMED), hostname: named }))];
}

function unseen(hostnames: readonly string[]): Diagnostic[] {
  if (hostnames.length === 0) return [];
  return [warning(problem("caa-unseen", { hostnames: listed(hostnames, NAMED) }))];
}

/**
 * The CAA records that let the CA issue for a hostname. `allowed`: the records in DNS let it by now. `unseen`: DNS does
 * not show the blocking records, so the name of the records is derived from the hostname alone.
 */
export interface CaaTodo {
  readonly records: readonly Todo[];
  readonly doubt?: "allowed" | "unseen";
}

/**
 * What to set for a hostname whose CA is blocked by CAA records according to the service. DNS shows which records count
 * and which name has them (RFC 8659). `choice` is the chosen CA; without one it is what the service shows. The flag is
 * 0, as the service expects (docs/service.md#caa).
 */
export async function caaTodo(dns: Dns, details: HostnameDetails, choice: string | undefined): Promise<CaaTodo> {
  const hostname = details.live.key;
  const covers = coverageOf(details);
  const authorities = authoritiesOf(choice ?? details.authority);
  const found = await relevantCaa(dns, hostname);
  if (found.status === "found") return answerTo(found, covers, authorities);
  const isNothingThere = found.status === "none" && (await isKnown(dns, hostname));
  if (isNothingThere) return { records: [], doubt: "allowed" };
  const name = await nameAbove(hostname);
  const tags: readonly IssueTag[] = covers.includes("wildcard") ? ["issue", "issuewild"] : ["issue"];
  return { records: toSet(name, authorities, () => tags), doubt: "unseen" };
}

/** The CAs that may issue, the one that is tried first at the front. */
function authoritiesOf(choice: string | undefined): readonly string[] {
  const known = candidatesOf(choice === undefined || choice === "" ? "default" : choice);
  return known.length === 0 && choice !== undefined ? [choice] : known;
}

function coverageOf({ live }: HostnameDetails): readonly Coverage[] {
  if (live.key.startsWith("*.")) return ["wildcard"];
  return valueAt(live.values, ["ssl", "wildcard"]) === true ? ["name", "wildcard"] : ["name"];
}

function answerTo(
  { at, settableAt, records }: Extract<RelevantCaa, { status: "found" }>,
  covers: readonly Coverage[],
  authorities: readonly string[],
): CaaTodo {
  const lacking = (authority: string): readonly IssueTag[] => lackingTags(records, issuerOf(authority), covers);
  // One of the CAs that the service chooses from is enough.
  const isNamed = authorities.some((authority) => lacking(authority).length === 0);
  const inTheWay = records.filter((record) => !isUnderstood(record));
  if (isNamed && inTheWay.length === 0) return { records: [], doubt: "allowed" };
  // Only the records nearest to the hostname count.
  if (settableAt !== at) return { records: toSet(settableAt, authorities, () => ["issue"]) };
  const removed = inTheWay.map((record) => toRemove(at, record));
  // If a name has no records left, those of a parent count, and they were not checked.
  if (inTheWay.length === records.length) return { records: [...removed, ...toSet(at, authorities, () => ["issue"])] };
  return { records: isNamed ? removed : [...removed, ...toSet(at, authorities, lacking)] };
}

function toSet(name: string, authorities: readonly string[], tags: (authority: string) => readonly IssueTag[]): Todo[] {
  return authorities.flatMap((authority, index) =>
    tags(authority).map((tag) => ({
      purpose: "certificate" as const,
      need: index === 0 ? ("required" as const) : ("alternative" as const),
      type: "CAA" as const,
      name,
      value: `0 ${tag} "${issuerOf(authority)}"`,
    })),
  );
}

/** A critical property that CAs do not know blocks all of them, whatever else is there (RFC 8659, section 4.1). */
function toRemove(name: string, { flags, tag, value }: CaaRecord): Todo {
  return {
    purpose: "certificate",
    need: "remove",
    type: "CAA",
    name,
    value: `${flags} ${tag} ${JSON.stringify(value)}`,
  };
}

/** Whether this DNS knows the domain at all; an internal or isolated DNS may not. */
async function isKnown(dns: Dns, hostname: string): Promise<boolean> {
  const domain = await registeredDomain(hostname);
  const answer = domain === undefined ? undefined : await dns.resolveCaa(domain);
  return answer?.status === "no-answer";
}
