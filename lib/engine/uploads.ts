import { defined } from "../core/defined.ts";
import type { DesiredZone, LoadedProject } from "../config/desired.ts";
import { type Diagnostic, warning } from "../core/diagnostic.ts";
import { canonical } from "../core/json.ts";
import { uploadRemarks } from "../kinds/custom-hostname/upload.ts";

/** How many places of a code to name before counting the rest. */
const MOST_PLACES = 20;

/**
 * A warning for each secret that is not at hand: without it we cannot tell whether the uploaded certificate is the
 * declared one.
 */
export function absentFindings(project: LoadedProject, zone: DesiredZone): readonly Diagnostic[] {
  return [...project.absentSecrets].flatMap(([reference, { message, at }]) => {
    const names = zone.objects.filter(({ spec }) => canonical(spec).includes(reference)).map(({ key }) => key);
    const [first, ...others] = names;
    if (first === undefined) return [];
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    return [
      warning({
        code: "secret-not-at-hand",
        message: `cannot tell whether the certificate of custom_hostname[${JSON.stringify(first)}]${more} is the declared one: ${message}`,
        remedy: "set it where the command runs; without it, changes of these hostnames are refused",
        ...defined({ at }),
      }),
    ];
  });
}

/** Warnings about the uploaded certificates that a zone declares, as of a moment; one for each place in the YAML. */
export function uploadFindings(project: LoadedProject, zone: DesiredZone, now: number): readonly Diagnostic[] {
  const found = new Map<string, { readonly finding: Diagnostic; readonly hostname: string; more: number }>();
  for (const { kind, key, spec, at } of zone.objects) {
    if (kind !== "custom_hostname") continue;
    const remarks = uploadRemarks(spec, (reference) => project.secrets.get(canonical(reference)), now);
    if (remarks.length === 0) continue;
    for (const { path, code, message, remedy } of remarks) {
      const place = project.originOf(zone.name, { kind, key }, path.map(String))?.at ?? at;
      const known = found.get(`${code} ${place.file}:${place.line}:${place.column}`);
      if (known) known.more += 1;
      else
        found.set(`${code} ${place.file}:${place.line}:${place.column}`, {
          finding: warning({ code, message, remedy, at: place }),
          hostname: key,
          more: 0,
        });
    }
  }
  const told = [...found.values()].slice(0, MOST_PLACES).map(({ finding, hostname, more }) => {
    const others = more === 0 ? "" : ` and ${more} more hostnames`;
    return { ...finding, message: `custom_hostname[${JSON.stringify(hostname)}]${others}: ${finding.message}` };
  });
  const rest = found.size - told.length;
  return rest === 0
    ? told
    : [...told, warning({ code: "more-findings", message: `${rest} more findings about uploaded certificates` })];
}
