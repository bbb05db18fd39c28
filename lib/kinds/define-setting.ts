import { defined, formatPath, type Json, type JsonObject, leaves, leavesAsLive, overlaid } from "../core/json.ts";
import type { ZoneId } from "../core/brand.ts";
import { asObject, sameId } from "../core/decode.ts";
import { diff } from "../core/diff.ts";
import type { ApiRequest, Client, Family } from "../service/client.ts";
import { ApiError } from "../service/errors.ts";
import type { Codes } from "../service/explanations/entry.ts";
import { type HclResource, settingResource } from "./hcl.ts";
import type { KindOf } from "./kind-of.ts";
import type { Live } from "./live.ts";
import type { Compared, Objection } from "./traits/compared.ts";
import type { Declared } from "./traits/declared.ts";
import type { Identity } from "./traits/identity.ts";
import type { Judged } from "./traits/judged.ts";
import type { Read, WriteContext } from "./traits/remote.ts";
import { weakening } from "./weakening.ts";

/**
 * How a setting of a zone differs from the others. Optional parts are absent for settings that need nothing special.
 */
export interface SettingDeclaration<Name extends string, Own extends string>
  extends
    Partial<Pick<Declared, "normalise" | "implied" | "problems">>,
    Partial<Pick<Judged, "hazards">>,
    Pick<Judged, "weakens" | "subscription"> {
  readonly name: Name;
  readonly stage: number;
  /** Its key in the zone file, and the required key of each object. */
  readonly section: { readonly key: string; readonly required: string };
  /** The names of the settings, if a zone has several of this kind in a map of the zone file. Absent: it has one. */
  readonly keys?: readonly string[];
  /** The path after the zone's. `key` is empty if there is only one. */
  readonly path: (key: string) => string;
  readonly family: Family;
  readonly codes?: Codes;
  readonly ownCodes: Identity<Name, Own>["ownCodes"];
  /** The error code for a value that is already set. */
  readonly unchangedCode?: number;
  /**
   * Decodes the service's response into values of the YAML and what the service fills in. Throws `DecodeError` if the
   * response lacks the setting: missing does not mean off. `at` is the service's time, in milliseconds since the epoch;
   * undefined if unknown.
   */
  readonly decode: (from: JsonObject, at: number | undefined) => Pick<Live, "values" | "status">;
  /** The write that changes `live` into `values`. */
  readonly write: (values: JsonObject, live: JsonObject) => SettingWrite;
  /** Whether a declared field is satisfied, if equality is not enough. */
  readonly satisfied?: (leaf: string, desired: Json, live: Live) => boolean | undefined;
  /** Why the live object may not be changed to these values. */
  readonly objections?: (values: JsonObject, live: Live) => readonly Objection[];
  /** The provider's resource; just its type if its attributes are the values unchanged. */
  readonly hcl: string | HclResource;
}

type Setting = SettingDeclaration<string, string>;

/** A write of a setting: the request without its path. */
export type SettingWrite = Pick<ApiRequest, "method" | "body" | "query" | "answer">;

/**
 * Defines the kind of a setting: it always exists, is read and written as a whole at one path, and can be neither
 * created nor deleted.
 */
export function defineSetting<Name extends string, Own extends string>(
  setting: SettingDeclaration<Name, Own>,
): KindOf<Name, never, Own> {
  const { name, stage, section, keys, weakens, hcl } = setting;
  return {
    name,
    stage,
    isSingle: keys === undefined,
    lifetime: "permanent",
    adoption: "freely",
    section: { ...section, shape: keys ? "map" : "object", options: [] },
    ...(keys ? { importedKey: (text: string) => keys.find((key) => key === text) } : {}),
    ...defined({ codes: setting.codes, implied: setting.implied }),
    ownCodes: setting.ownCodes,
    normalise: (written) => {
      const desired = setting.normalise?.(written) ?? written;
      return overlaid(desired, setting.implied?.(desired) ?? {});
    },
    problems: setting.problems ?? (() => []),
    ...remote(setting),
    ...comparison(setting),
    hazards: (step) => [...(setting.hazards?.(step) ?? []), ...(weakens ? weakening(step, weakens) : [])],
    ...defined({ weakens, subscription: setting.subscription }),
    cost: () => ({ calls: 2, issuances: 0 }),
    hcl: typeof hcl === "string" ? settingResource(hcl) : hcl,
    importForms: [keys ? "<zone_id>/<setting>" : "<zone_id>"],
    ...(keys ? { claim: ({ key }: { readonly key: string }) => ({ key }) } : {}),
    importId: (zone, { id }) => (keys ? `${zone}/${id}` : zone),
  };
}

function comparison({ implied, satisfied, objections }: Setting): Compared {
  const rules = { fixed: [], writeOnly: [], unordered: [] };
  return {
    writeOnly: [],
    compare: ({ desired, prior, live }) => {
      const found = diff(desired, prior, live.values, rules, (leaf, value) => satisfied?.(leaf, value, live));
      const against = found.leaves.length === 0 ? [] : (objections?.(overlaid(live.values, desired), live) ?? []);
      const refused = against.length === 0 ? {} : { objections: against };
      // Implied fields were not declared, so they are not reported as released.
      const unwritten = new Set(leaves(implied?.(prior ?? {}) ?? {}).map(({ path }) => formatPath(path)));
      const letGo = found.letGo.filter((path) => !unwritten.has(formatPath(path)));
      return { leaves: found.leaves, letGo, rules: [], replaces: [], notes: [], ...refused };
    },
    guarded: (live) => live.values,
    applied: (desired, live) => leavesAsLive(desired, live.values),
    declared: (live) => live.values,
    whole: ({ desired, live }) => overlaid(live.values, desired),
  };
}

function remote(setting: Setting): Read & Pick<KindOf<string>, "create" | "update" | "remove"> {
  const { family, codes, unchangedCode } = setting;
  const requestFor = (zone: ZoneId, key: string): Pick<ApiRequest, "path" | "family" | "codes"> => ({
    path: `/zones/${zone}${setting.path(key)}`,
    family,
    ...defined({ codes }),
  });
  const ask = async (client: Client, zone: ZoneId, key: string, call: SettingWrite, signal?: AbortSignal) => {
    const from = asObject(await client.send({ ...requestFor(zone, key), ...call }, signal), "result");
    // If a zone has several, each response names its setting.
    if (setting.keys) sameId(from, key);
    return { id: key === "" ? zone : key, key, ...setting.decode(from, client.serviceTime()) };
  };
  const fetchLive = (client: Client, zone: ZoneId, key: string, signal?: AbortSignal): Promise<Live> =>
    ask(client, zone, key, { method: "GET" }, signal);
  const send = async (context: WriteContext, key: string, values: JsonObject, live: JsonObject): Promise<Live> => {
    const { client, zone, signal } = context;
    try {
      return await ask(client, zone, key, setting.write(values, live), signal);
    } catch (error) {
      const isUnchanged = unchangedCode !== undefined && error instanceof ApiError && error.has(unchangedCode);
      if (isUnchanged) return fetchLive(client, zone, key, signal);
      throw error;
    }
  };
  return {
    list: async function* (client, zone, keys, signal) {
      for (const key of setting.keys ? keys : [""]) yield await fetchLive(client, zone, key, signal);
    },
    read: (client, zone, { key }, signal) => fetchLive(client, zone, key, signal),
    find: async (client, zone, key, signal) =>
      (setting.keys ?? [""]).includes(key) ? fetchLive(client, zone, key, signal) : undefined,
    create: (context, key, sent) => send(context, key, sent, {}),
    update: (context, { desired, live }) => send(context, live.key, overlaid(live.values, desired), live.values),
    remove: () => Promise.resolve(),
  };
}
