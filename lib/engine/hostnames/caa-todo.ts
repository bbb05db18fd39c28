import type { CaaRecord, Dns } from "../../core/dns.ts";
import { valueAt } from "../../core/json.ts";
import { candidatesOf, type Coverage, isUnderstood, issuerOf, type IssueTag, lackingTags } from "../checks/caa.ts";
import { type RelevantCaa, relevantCaa } from "../checks/evidence.ts";
import { nameAbove, registeredDomain } from "../checks/settable-name.ts";
import type { HostnameRecord } from "../../kinds/custom-hostname/records.ts";
import type { Todo } from "./todo.ts";

/**
 * The CAA records that let the CA issue for a hostname. `allowed` says that those in DNS let it by now, `unseen` that DNS
 * did not show the ones that do not, so that the name of the records rests on the hostname alone.
 */
export interface CaaTodo {
  readonly records: readonly Todo[];
  readonly doubt?: "allowed" | "unseen";
}

/**
 * What has to be set for a hostname for which CAA records keep its CA from issuing, as the service says: DNS shows which
 * records count and where they stand (RFC 8659). `choice` is the CA that was chosen; without one it is what the service
 * shows. Flag 0, as the service wants it (docs/service.md#caa).
 */
export async function caaTodo(dns: Dns, record: HostnameRecord, choice: string | undefined): Promise<CaaTodo> {
  const hostname = record.live.key;
  const covers = coverageOf(record);
  const authorities = authoritiesOf(choice ?? record.authority);
  const found = await relevantCaa(dns, hostname);
  if (found.status === "found") return answerTo(found, covers, authorities);
  const isNothingThere = found.status === "none" && (await isKnown(dns, hostname));
  if (isNothingThere) return { records: [], doubt: "allowed" };
  const name = await nameAbove(hostname);
  const tags: readonly IssueTag[] = covers.includes("wildcard") ? ["issue", "issuewild"] : ["issue"];
  return { records: toSet(name, authorities, () => tags), doubt: "unseen" };
}

/** The CAs that may issue, the one that is tried first in front. */
function authoritiesOf(choice: string | undefined): readonly string[] {
  const known = candidatesOf(choice === undefined || choice === "" ? "default" : choice);
  return known.length === 0 && choice !== undefined ? [choice] : known;
}

function coverageOf({ live }: HostnameRecord): readonly Coverage[] {
  if (live.key.startsWith("*.")) return ["wildcard"];
  return valueAt(live.values, ["ssl", "wildcard"]) === true ? ["name", "wildcard"] : ["name"];
}

function answerTo(
  { at, settableAt, records }: Extract<RelevantCaa, { status: "found" }>,
  covers: readonly Coverage[],
  authorities: readonly string[],
): CaaTodo {
  const lacking = (authority: string): readonly IssueTag[] => lackingTags(records, issuerOf(authority), covers);
  // One of the CAs that the service chooses between is enough.
  const isNamed = authorities.some((authority) => lacking(authority).length === 0);
  const inTheWay = records.filter((record) => !isUnderstood(record));
  if (isNamed && inTheWay.length === 0) return { records: [], doubt: "allowed" };
  // What stands nearer to the hostname counts alone.
  if (settableAt !== at) return { records: toSet(settableAt, authorities, () => ["issue"]) };
  const removed = inTheWay.map((record) => toRemove(at, record));
  // Where nothing is left at a name, those of a name above it count, and nobody has looked at them.
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

/** A critical property that no CA knows keeps all of them from issuing, whatever stands beside it (RFC 8659, section 4.1). */
function toRemove(name: string, { flags, tag, value }: CaaRecord): Todo {
  return {
    purpose: "certificate",
    need: "remove",
    type: "CAA",
    name,
    value: `${flags} ${tag} ${JSON.stringify(value)}`,
  };
}

/** Whether this DNS knows the domain at all: an internal one, or one that was cut off, need not. */
async function isKnown(dns: Dns, hostname: string): Promise<boolean> {
  const domain = await registeredDomain(hostname);
  const answer = domain === undefined ? undefined : await dns.resolveCaa(domain);
  return answer?.status === "no-answer";
}
