import type { DesiredObject } from "../../config/desired.ts";
import { type JsonObject, valueAt } from "../../core/json.ts";
import { HOSTNAMES, isHostname } from "../../kinds/registry.ts";
import type { Change, ZonePlan } from "../../plan/change.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import { liveHostnames, planAddress, selector, targetsOf } from "../../plan/targets.ts";
import { reissues } from "../../kinds/custom-hostname/diff.ts";
import type { Live } from "../../kinds/live.ts";
import type { Coverage } from "./caa.ts";

/** The hostnames to query DNS about: those that this plan creates or orders a certificate for, or all. */
export type Scope = "changed" | "all";

/** A hostname to query DNS about. */
export interface CheckedHostname {
  readonly hostname: string;
  readonly address: string;
  /** The CA that should issue, or `default`; absent if the service issues nothing for it. */
  readonly choice?: string;
  readonly covers: readonly Coverage[];
}

/** The selected hostnames that the YAML declares or a policy matches. */
export function wantedHostnames(input: PlanInput): readonly DesiredObject[] {
  const isSelected = selector(input);
  return [...targetsOf(input).values()].filter(({ kind, key }) => isHostname(kind) && isSelected(kind, key));
}

/** The hostnames within the scope, in the order of the plan. */
export function checkedHostnames(
  input: PlanInput,
  section: ZonePlan,
  wanted: readonly DesiredObject[],
  scope: Scope,
): readonly CheckedHostname[] {
  const lives = liveHostnames(input.live);
  const checked = (key: string, values: JsonObject): CheckedHostname => ({
    hostname: key,
    address: planAddress(input, HOSTNAMES.name, key),
    ...certificateOf(key, values, lives.get(key)),
  });
  switch (scope) {
    case "changed":
      return section.changes.filter(ordersCertificate).map(({ key, desired }) => checked(key, desired ?? {}));
    case "all":
      return wanted.map(({ key, values }) => checked(key, values));
    default:
      return scope satisfies never;
  }
}

function ordersCertificate({ kind, action, leaves }: Change): boolean {
  if (!isHostname(kind)) return false;
  if (action === "create" || action === "replace") return true;
  return (action === "update" || action === "adopt") && reissues(leaves);
}

/** An undeclared field keeps its live value; an uploaded certificate is issued by no CA. */
function certificateOf(
  hostname: string,
  values: JsonObject,
  live: Live | undefined,
): Pick<CheckedHostname, "choice" | "covers"> {
  const leaf = (name: string): unknown => valueAt(values, ["ssl", name]) ?? valueAt(live?.values, ["ssl", name]);
  const hasCertificate = (values["ssl"] ?? live?.values["ssl"] ?? null) !== null;
  const isUploaded = ["custom_certificate", "custom_cert_bundle", "custom_csr_id"].some(
    (name) => (leaf(name) ?? null) !== null,
  );
  const covers = coverageOf(hostname, leaf("wildcard") === true);
  if (!hasCertificate || isUploaded) return { covers };
  const choice = leaf("certificate_authority");
  return { covers, choice: typeof choice === "string" && choice !== "" ? choice : "default" };
}

function coverageOf(hostname: string, isWildcard: boolean): readonly Coverage[] {
  if (hostname.startsWith("*.")) return ["wildcard"];
  return isWildcard ? ["name", "wildcard"] : ["name"];
}
