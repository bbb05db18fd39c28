import type { JsonObject } from "../../core/json.ts";
import type { SpecProblem } from "../traits/declared.ts";
import type { CODES } from "./codes.ts";

/** What the service would refuse about the fallback origin (docs/service.md#fallback-origin). */
export function problems(spec: JsonObject, zone: string | undefined): readonly SpecProblem[] {
  const written = spec["origin"];
  if (typeof written !== "string") return [];
  const origin = written.toLowerCase().replace(/\.$/, "");
  if (!isHostname(origin)) return [notAHostname(written)];
  return zone === undefined || origin === zone || origin.endsWith(`.${zone}`) ? [] : [outsideZone(origin, zone)];
}

function isHostname(name: string): boolean {
  const labels = name.split(".");
  return labels.length > 1 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
}

function notAHostname(written: string): SpecProblem {
  const [, name] = /^[a-z]+:\/\/([^/:]+)/i.exec(written) ?? [];
  const remedy = `write only the name of a DNS record of the zone${name === undefined ? "" : `: ${name}`}`;
  return problem("origin-invalid", `${JSON.stringify(written)} is not a hostname`, remedy);
}

function outsideZone(origin: string, zone: string): SpecProblem {
  const remedy = `use a proxied DNS record of the zone, for example fallback.${zone}`;
  return problem("origin-outside-zone", `${origin} is not a name of the zone ${zone}`, remedy);
}

function problem(code: keyof typeof CODES, message: string, remedy: string): SpecProblem {
  return { path: ["origin"], code, message, remedy };
}
