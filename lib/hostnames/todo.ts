import { optionalText, texts } from "../core/decode.ts";
import { valueAt } from "../core/json.ts";
import { candidatesOf, issuerOf } from "../preflight/caa.ts";
import type { HostnameRecord, RecordToSet } from "../resources/custom-hostname/records.ts";
import { saysOneOf } from "../service/explanations/texts.ts";

/**
 * A record that a customer still has to set. `alternative` does the same as another record of the same purpose, or comes
 * by itself once traffic reaches the zone.
 */
export interface Todo extends RecordToSet {
  readonly purpose: "traffic" | "ownership" | "certificate";
  readonly need: "required" | "alternative";
}

/** What is left to do for one hostname. */
export interface HostnameTodo {
  readonly hostname: string;
  readonly status: string;
  readonly sslStatus: string | undefined;
  readonly records: readonly Todo[];
  /** What the service says is wrong. */
  readonly said: readonly string[];
}

/**
 * What a customer still has to set for a hostname; undefined where nothing is left. `target` is the name that customers
 * point theirs at. An active hostname that validates a renewal by itself wants nothing.
 */
export function todoOf(record: HostnameRecord, target: string): HostnameTodo | undefined {
  const { live } = record;
  const status = optionalText(live.status, "status") ?? "unknown";
  const sslStatus = optionalText(live.status, "ssl_status");
  const isVerified = status === "active" || status === "active_redeploying";
  const said = [...texts(live.status, "verification_errors"), ...texts(live.status, "validation_errors")];
  const records = [
    ...(isVerified ? [] : trafficAndOwnership(record, target, said)),
    ...certificate(record),
    ...(hasCaaError(status, said) ? caaRecords(record) : []),
  ];
  if (records.length === 0) return undefined;
  return { hostname: live.key, status, sslStatus, records, said };
}

function trafficAndOwnership({ live, ownership }: HostnameRecord, target: string, said: readonly string[]): Todo[] {
  const cname: Todo = { purpose: "traffic", need: "required", type: "CNAME", name: live.key, value: target };
  // A name that the service serves already cannot be proven by a token (public fact).
  if (saysOneOf(said, "token-useless")) return [cname];
  return [cname, ...ownership.map((proof) => ({ ...proof, purpose: "ownership", need: "alternative" }) as const)];
}

/** A file is served by the service itself once traffic reaches it; a delegation spares the TXT records. */
function certificate({ validation, delegation }: HostnameRecord): Todo[] {
  return [
    ...validation.map((record) => {
      const need = record.type === "HTTP" ? "alternative" : "required";
      return { ...record, purpose: "certificate", need } as const;
    }),
    ...delegation.map((record) => ({ ...record, purpose: "certificate", need: "alternative" }) as const),
  ];
}

function hasCaaError(status: string, said: readonly string[]): boolean {
  return status === "caa_error" || saysOneOf(said, "caa-error");
}

/**
 * The CAA records that let the CA issue, flag 0 (the description, section 7). They stand with those that block it, above
 * the hostname: beside its CNAME no other record can be.
 */
function caaRecords({ live, authority }: HostnameRecord): Todo[] {
  const issuer = issuerOf(authority ?? candidatesOf("default")[0] ?? "");
  const isWildcard = live.key.startsWith("*.") || valueAt(live.values, ["ssl", "wildcard"]) === true;
  const tags = isWildcard ? ["issue", "issuewild"] : ["issue"];
  return tags.map((tag) => ({
    purpose: "certificate",
    need: "required",
    type: "CAA",
    name: domainAbove(live.key),
    value: `0 ${tag} "${issuer}"`,
  }));
}

function domainAbove(hostname: string): string {
  const labels = hostname.replace(/^\*\./, "").split(".");
  return labels.slice(labels.length > 2 ? 1 : 0).join(".");
}
