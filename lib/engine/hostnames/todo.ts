import { optionalText, texts } from "../../core/decode.ts";
import type { HostnameRecord, RecordToSet } from "../../kinds/custom-hostname/records.ts";
import { saysOneOf } from "../../service/explanations/texts.ts";

/**
 * A record that a customer still has to set. `alternative` does the same as another record of the same purpose, or comes
 * by itself once traffic reaches the zone; `remove` stands there and has to go.
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
  /** What the service says is wrong. */
  readonly said: readonly string[];
}

/**
 * What a customer still has to set for a hostname; undefined where nothing is left. `target` is the name that customers
 * point theirs at, `caa` what lets the CA issue where `isBlockedByCaa`. An active hostname that validates a renewal by
 * itself wants nothing.
 */
export function todoOf(record: HostnameRecord, target: string, caa: readonly Todo[] = []): HostnameTodo | undefined {
  const { live } = record;
  const status = optionalText(live.status, "status") ?? "unknown";
  const sslStatus = optionalText(live.status, "ssl_status");
  // A status that says why there is no certificate takes the place of the one that says whether the name is verified.
  const isVerified =
    status === "active" || status === "active_redeploying" || (status === "caa_error" && isProven(record));
  const said = [...texts(live.status, "verification_errors"), ...texts(live.status, "validation_errors")];
  const records = [...caa, ...(isVerified ? [] : trafficAndOwnership(record, target, said)), ...certificate(record)];
  if (records.length === 0) return undefined;
  return { hostname: live.key, status, sslStatus, records, said };
}

function trafficAndOwnership({ live, ownership }: HostnameRecord, target: string, said: readonly string[]): Todo[] {
  const cname: Todo = { purpose: "traffic", need: "required", type: "CNAME", name: live.key, value: target };
  // A name that the service serves already cannot be proven by a token (docs/service.md#hostname-lifecycle).
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

/** The proofs of ownership vanish once one was found (docs/service.md#custom-hostname-record). */
function isProven({ live, ownership }: HostnameRecord): boolean {
  return ownership.length === 0 && texts(live.status, "verification_errors").length === 0;
}
