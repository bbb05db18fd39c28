import { derive } from "../ids.ts";
import { asText, type JsonObject } from "../json.ts";
import type { World } from "../world.ts";
import type { ValidationMethod } from "./certificate.ts";

/** What the CA asks for. The validation records follow from it. */
export interface Challenge {
  readonly method: ValidationMethod;
  /** The values of the records are derived from this secret. */
  readonly secret: string;
  /** The names to validate, without a wildcard label. There is one record for each; `part` tells two of the same name apart. */
  readonly names: readonly { readonly name: string; readonly part: string }[];
  /** The zone's label in the target that a customer may delegate to. */
  readonly delegation: string;
}

/** The records that prove control of the names (docs/service.md#validation-records). */
export function validationRecords(challenge: Challenge): JsonObject[] {
  return challenge.names.map(({ name, part }) => ({ status: "pending", ...recordOf(challenge, name, part) }));
}

/** The CNAME records that let the service set the TXT records by itself from then on (docs/service.md#validation-records). */
export function delegationRecords(challenge: Challenge): JsonObject[] {
  const names = [...new Set(challenge.names.map(({ name }) => name))];
  return names.map((name) => ({
    status: "pending",
    cname: `_acme-challenge.${name}`,
    cname_target: delegationTarget(challenge, name),
  }));
}

/** Whether all records exist in the outside world. Validation by e-mail never succeeds here. */
export function isValidated(world: World, challenge: Challenge): boolean {
  if (challenge.method === "email") return false;
  return challenge.names.every(({ name, part }) => {
    const wanted = recordOf(challenge, name, part);
    if (challenge.method === "http") return world.http.get(asText(wanted["http_url"])) === wanted["http_body"];
    const answer = world.dns.get(`_acme-challenge.${name}`);
    const isDelegated = answer?.cname?.toLowerCase().replace(/\.$/, "") === delegationTarget(challenge, name);
    return isDelegated || answer?.txt?.includes(asText(wanted["txt_value"])) === true;
  });
}

/** The zone's label in a delegation target. */
export function delegationOf(zoneId: string): string {
  return derive(`delegation ${zoneId}`).slice(0, 16);
}

function recordOf(challenge: Challenge, name: string, part: string): JsonObject {
  const token = (label: string): string => derive(`${challenge.secret} ${label}`).slice(0, 32);
  if (challenge.method === "txt") return { txt_name: `_acme-challenge.${name}`, txt_value: token(part) };
  if (challenge.method === "email")
    return { emails: ["admin", "administrator", "hostmaster"].map((user) => `${user}@${name}`) };
  return { http_url: `http://${name}/.well-known/acme-challenge/${token(part)}`, http_body: token(`${part} body`) };
}

function delegationTarget(challenge: Challenge, name: string): string {
  return `${name}.${challenge.delegation}.dcv.cloudflare.com`;
}
