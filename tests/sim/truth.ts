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

/** All hostnames that are live. */
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

/** The rules of the managed entry point in their order; undefined where there is none. */
export function trueRules(service: SimService): readonly TrueRule[] | undefined {
  const rulesets = [...service.zone().rulesets.values()];
  const entryPoint = rulesets.find(({ phase, kind }) => phase === PHASE && kind === "zone");
  return entryPoint?.versions.at(-1)?.rules.map((rule) => {
    const ref = textIn(isObject(rule) ? rule : undefined, "ref") ?? "";
    return { ref, expression: textIn(rule, "expression") ?? "", isOurs: ref.startsWith(OWN_PREFIX) };
  });
}

/** The whole zone as text: equal texts are equal zones, but for what the service does by itself. */
export function zonePrint(service: SimService): string {
  const { fallbackOrigin, totalTls } = service.zone();
  return JSON.stringify([
    trueHostnames(service),
    trueRules(service) ?? null,
    fallbackOrigin?.origin ?? null,
    [totalTls.enabled, totalTls.authority],
  ]);
}
