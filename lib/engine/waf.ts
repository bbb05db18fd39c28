import type { DesiredZone } from "../config/desired.ts";
import {
  readPreview,
  readStanding,
  readStandingWith,
  type WafPreview,
  type WafStanding,
} from "../kinds/waf-migration/standing.ts";
import type { Client } from "../service/client.ts";
import { type ProjectOptions, readProject, type World, zonesOf } from "./world.ts";
import { problem, refusal } from "../core/diagnostic.ts";
import { objects, optionalObject, optionalText } from "../core/decode.ts";
import { errorCode, type FileSystem } from "../core/file-system.ts";
import { isList, type JsonObject, parseObject } from "../core/json.ts";

/** How far each zone has migrated its WAF. Only reads. Throws what the client throws, and `Refusal`. */
export async function wafStandings(world: World, options: ProjectOptions): Promise<readonly WafStanding[]> {
  return inEachZone(world, options, (client, zone) => readStanding(client, zone, world.signal));
}

/** The same, with the zones' previous managed rules in a Terraform state. */
export async function wafStandingsWith(
  world: World,
  options: ProjectOptions,
  resources: readonly TerraformResource[],
): Promise<readonly WafStanding[]> {
  return inEachZone(world, options, (client, zone) => {
    const own = resources.filter((resource) => resource.zone === zone.id);
    return readStandingWith(client, zone, own, world.signal);
  });
}

/** What the migration of each zone would save. Only reads. Throws what the client throws, and `Refusal`. */
export async function wafPreviews(world: World, options: ProjectOptions): Promise<readonly WafPreview[]> {
  return inEachZone(world, options, (client, zone) => readPreview(client, zone, world.signal));
}

async function inEachZone<T>(
  world: World,
  options: ProjectOptions,
  read: (client: Client, zone: DesiredZone) => Promise<T>,
): Promise<readonly T[]> {
  const { project } = await readProject(world, options);
  const client = world.connect(project.desired.budget);
  const found: T[] = [];
  for (const zone of zonesOf(project, options.zones ?? [])) found.push(await read(client, zone));
  return found;
}

/** How large a state may be. The state of a large organisation has some megabytes; a longer file is something else. */
const LARGEST_STATE_BYTES = 128 * 1024 * 1024;
/** The format that Terraform writes since 0.12. */
const VERSION = 4;
/** Resources of the previous managed WAF rules; the provider has had none of them since 4.0 (docs/service.md#previous-waf). */
const PREVIOUS_WAF = new Set([
  "cloudflare_waf_package",
  "cloudflare_waf_group",
  "cloudflare_waf_rule",
  "cloudflare_waf_override",
]);

/** An object of the previous managed WAF rules in a Terraform state. */
interface TerraformResource {
  /** Terraform's address. */
  readonly address: string;
  readonly type: string;
  readonly zone: string;
  /** The service's id; empty if the state does not have it. */
  readonly id: string;
}

/** The objects of the previous managed WAF rules in a Terraform state. Throws `Refusal` for any other file. */
export async function previousWafResources(
  fs: Pick<FileSystem, "read">,
  path: string,
  name: string,
): Promise<readonly TerraformResource[]> {
  const resources = objects(stateIn(await readText(fs, path, name), name), "resources");
  const found = new Map<string, TerraformResource>();
  for (const resource of resources) {
    const type = optionalText(resource, "type") ?? "";
    if (resource["mode"] !== "managed" || !PREVIOUS_WAF.has(type)) continue;
    for (const instance of objects(resource, "instances")) {
      const one = resourceOf(resource, type, instance);
      found.set(one.address, one);
    }
  }
  return [...found.values()];
}

async function readText(fs: Pick<FileSystem, "read">, path: string, name: string): Promise<string> {
  try {
    return Buffer.from(await fs.read(path, LARGEST_STATE_BYTES)).toString("utf8");
  } catch (cause) {
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: "there is no such file",
      EFBIG: `it has more than ${LARGEST_STATE_BYTES / 1024 / 1024} MiB`,
      EACCES: "permission denied",
      EISDIR: "it is a folder",
    };
    const code = errorCode(cause) ?? "";
    const values = { what: `the Terraform state ${name}`, reason: reasons[code] ?? code };
    throw refusal(problem("cannot-read", values), 1, { cause });
  }
}

function stateIn(text: string, name: string): JsonObject {
  const state = parseObject(text);
  const version = state?.["version"];
  if (state && version === VERSION && isList(state["resources"])) return state;
  const isOther = typeof version === "number" && typeof state?.["lineage"] === "string" && version !== VERSION;
  const message = isOther
    ? `${name} is a Terraform state of version ${version}, and only version ${VERSION} is read`
    : `${name} is no Terraform state`;
  throw refusal(problem("not-a-terraform-state", { message }));
}

function resourceOf(resource: JsonObject, type: string, instance: JsonObject): TerraformResource {
  const attributes = optionalObject(instance, "attributes") ?? optionalObject(instance, "attributes_flat") ?? {};
  const module = optionalText(resource, "module");
  const index = instance["index_key"];
  const suffix = typeof index === "string" || typeof index === "number" ? `[${JSON.stringify(index)}]` : "";
  return {
    address: `${module === undefined ? "" : `${module}.`}${type}.${optionalText(resource, "name") ?? ""}${suffix}`,
    type,
    zone: optionalText(attributes, "zone_id") ?? "",
    id: optionalText(attributes, "id") ?? "",
  };
}
