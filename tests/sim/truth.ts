import { isObject, type JsonObject } from "../../lib/core/json.ts";
import type { SimService } from "./sim-service.ts";
import { OWN_PREFIX, PHASE } from "./wish.ts";

/** A hostname as the service itself keeps it. */
export interface TrueHostname {
  readonly id: string;
  readonly name: string;
  readonly origin: string | undefined;
  readonly tier: string | undefined;
  readonly tls: string | undefined;
  readonly branding: boolean;
  readonly hasCertificate: boolean;
}

/** All live hostnames. */
export function trueHostnames(service: SimService): readonly TrueHostname[] {
  return service
    .zone()
    .hostnames.all()
    .map(({ id, hostname, ssl, customOriginServer, customMetadata }) => ({
      id,
      name: hostname,
      origin: customOriginServer ?? undefined,
      tier: textIn(customMetadata, "tier"),
      tls: textIn(ssl?.settings, "min_tls_version"),
      branding: ssl?.branding === true,
      hasCertificate: ssl !== null,
    }));
}

function textIn(value: JsonObject | null | undefined, name: string): string | undefined {
  const found = value?.[name];
  return typeof found === "string" ? found : undefined;
}

/** One hostname by its id or its name. */
export function trueHostname(service: SimService, idOrName: string): TrueHostname | undefined {
  return trueHostnames(service).find(({ id, name }) => id === idOrName || name === idOrName);
}

/** A rule of the entry point, as the service keeps it. */
export interface TrueRule {
  readonly ref: string;
  readonly expression: string;
  readonly isOurs: boolean;
}

/** The rules of the managed entry point in order; undefined if there is none. */
export function trueRules(service: SimService): readonly TrueRule[] | undefined {
  const rulesets = [...service.zone().rulesets.values()];
  const entryPoint = rulesets.find(({ phase, kind }) => phase === PHASE && kind === "zone");
  return entryPoint?.versions.at(-1)?.rules.map((rule) => {
    const ref = textIn(isObject(rule) ? rule : undefined, "ref") ?? "";
    return { ref, expression: textIn(rule, "expression") ?? "", isOurs: ref.startsWith(OWN_PREFIX) };
  });
}

/** The state of the zone's migration to the new managed rules, as the service keeps it. */
export interface TrueMigration {
  readonly state: string;
  /** The last step was requested; the previous rules turn off by themselves. */
  readonly isFinishing: boolean;
  readonly overrides: number;
}

/** The state of the zone's migration. */
export function trueMigration(service: SimService): TrueMigration {
  const { migration, overrides } = service.zone().waf;
  return { state: migration.state, isFinishing: migration.dueAt !== null, overrides: overrides.length };
}

/** The hold of the zone, as the service keeps it. */
export interface TrueHold {
  /** Also true if it is suspended: it comes back by itself. */
  readonly hold: boolean;
  readonly subdomains: boolean;
  /** The end of its suspension, in milliseconds since the epoch. */
  readonly after: number | null;
}

/** The zone's hold. */
export function trueHold(service: SimService): TrueHold {
  const { held, includeSubdomains, after } = service.zone().hold;
  return { hold: held || after !== null, subdomains: includeSubdomains, after };
}

/** The value of a setting of the zone: only the service knows the defaults of a new zone. */
export function trueSetting({ admin, id }: SimService, name: string): string | undefined {
  const { body } = admin.dashboard("GET", `/zones/${id}/settings/${name}`);
  const answer: unknown = JSON.parse(body);
  return isObject(answer) && isObject(answer["result"]) ? textIn(answer["result"], "value") : undefined;
}

/** A certificate pack that somebody ordered, as the service keeps it. */
export interface TruePack {
  readonly id: string;
  /** Its hosts in order, separated by commas. */
  readonly hosts: string;
  readonly authority: string;
  readonly isActive: boolean;
}

/** The packs that serve, or will serve. */
export function truePacks(service: SimService): readonly TruePack[] {
  return [...service.zone().packs.values()]
    .filter(({ type, status }) => type === "advanced" && !["deleted", "pending_deletion", "expired"].includes(status))
    .map(({ id, hosts, chosenAuthority, status }) => ({
      id,
      hosts: hostsKey(hosts),
      authority: chosenAuthority,
      isActive: status === "active",
    }));
}

/** The key of a pack with these hosts. */
export function hostsKey(hosts: readonly string[]): string {
  return hosts.toSorted().join(",");
}
