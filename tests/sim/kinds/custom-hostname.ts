import { type Json, type JsonObject, valueAt } from "../../../lib/core/json.ts";
import type { Change } from "../../../lib/plan/change.ts";
import type { HttpRequest } from "../../../lib/service/http.ts";
import type { StateObject } from "../../../lib/state/state.ts";
import { OWN_NAME } from "../canary.ts";
import { SOURCE } from "../csv-file.ts";
import type { Dice } from "../dice.ts";
import type { Stage } from "../engine-run.ts";
import type { Ledger } from "../ledger.ts";
import type { SimService } from "../sim-service.ts";
import type { Edit, Wish, WishedHostname } from "../wish.ts";
import type { Write } from "../writes.ts";
import { pathInZone } from "../zones.ts";
import {
  after,
  bodyOf,
  byDashboard,
  type Content,
  flat,
  type Habits,
  type Judged,
  type Leaf,
  otherThan,
  plannedLeaves,
  type Seen,
  type SimKind,
  textIn,
  verbOf,
  type ZoneFile,
} from "./kind.ts";

/** Origins that hostnames may use. */
export const ORIGINS = ["origin1.saas.net", "origin2.saas.net"] as const;
/** Tiers in metadata. */
export const TIERS = ["gold", "silver", "bronze"] as const;

const PATH = "/custom_hostnames";
/** Lies below the hostnames, and is none. */
const FALLBACK = "fallback_origin";

/** Fields of a hostname that a person may edit, and that the service shows unchanged. */
const EDITABLE = /^(custom_origin_server|custom_origin_sni|custom_metadata\..+|ssl\.method|ssl\.settings\..+)$/;

/** What somebody else does to a hostname. */
export type HostnameAct =
  | { readonly act: "create"; readonly name: string; readonly tier: string }
  | { readonly act: "edit"; readonly name: string; readonly tier: string }
  | { readonly act: "delete"; readonly name: string }
  /** A setting of `ssl` that the YAML does not declare. */
  | { readonly act: "edit-ssl"; readonly name: string; readonly setting: string; readonly value: Json }
  /** Metadata that the YAML does not declare. */
  | { readonly act: "edit-note"; readonly name: string; readonly note: string };

export const customHostname: SimKind = {
  declared: declaredHostnames,
  wished: wishedHostname,
  isReleasedByHand: true,
  ambushed: (dice, { key }) => {
    const throwOf = dice.fraction();
    if (throwOf < 0.35) return [{ act: "edit", name: key, tier: "lead" }];
    if (throwOf < 0.6) return [{ act: "edit-ssl", name: key, setting: "min_tls_version", value: "1.1" }];
    return [hostnameEdit(dice, key)];
  },
  editedMeanwhile: (dice, service, id) => {
    const name = trueHostname(service, id)?.name;
    return name === undefined ? undefined : hostnameEdit(dice, name);
  },
  drifting: (dice, { hostname: name }) => [
    hostnameEdit(dice, name),
    { act: "edit", name, tier: `by-hand-${dice.below(3)}` },
    { act: "delete", name },
  ],
  written: (request, names) => {
    const path = pathInZone(request.url);
    if (path === PATH && request.method === "POST")
      return { key: textIn(bodyOf(request), "hostname") ?? "", verb: "create" };
    const id = idAt(path);
    return id === undefined ? undefined : { key: names.get(id) ?? "", verb: verbOf(request), id };
  },
  idAt,
  // The service refuses to create a hostname twice.
  overwritten: ({ verb, id = "" }) => (verb === "create" ? undefined : `custom_hostname ${id}`),
  list: PATH,
  createdAt: PATH,
  shown: (service, { url }, isFresh) => {
    const named = isFresh ? new URL(url).searchParams.get("hostname") : null;
    const id = idAt(pathInZone(url));
    const found = id === undefined ? undefined : trueHostname(service, id);
    return [...(named === null ? [] : [named]), ...(found ? [found.name] : [])];
  },
  isAboutOne: (url) => /custom_hostnames\/[0-9a-f-]{36}|hostname=/.test(url),
  ordersCertificate: (request) => request.method === "POST" && bodyOf(request)["ssl"] !== undefined,
  live: trueHostnames,
  content: contentOf,
  differences,
  drifted,
  untrue,
  isFollowed: true,
  judgeWrite: ({ service, ...judged }, write) => {
    const before = write.verb === "delete" ? trueHostname(service, write.id ?? "") : undefined;
    if (before) judgeDeletion(judged, write, before);
  },
  owned: plannedLeaves,
  changedSincePlan,
};

function idAt(path: string): string | undefined {
  const id = after(`${PATH}/`, path);
  return id?.startsWith(FALLBACK) ? undefined : id;
}

function declaredHostnames({ hostnames, lifecycle }: Wish, { isInFile }: ZoneFile): JsonObject {
  if (lifecycle === "app")
    return {
      custom_hostnames: {
        lifecycle: "app",
        policies: [{ name: "all", set: { custom_metadata: { tier: "by-policy" } } }],
      },
    };
  const entries = [...hostnames].filter(([, hostname]) => !isInFile(hostname));
  return {
    custom_hostnames: {
      lifecycle: "zoneform",
      when_expired: "create",
      ...(entries.length < hostnames.size ? { from: [{ source: SOURCE }] } : {}),
      entries: entries.map(([name, spec]) => hostnameEntry(name, spec)),
    },
  };
}

function hostnameEntry(hostname: string, wished: WishedHostname): JsonObject {
  const { origin, tier, tls, isOwn, branding, protect } = wished;
  return {
    hostname,
    ...(origin === undefined ? {} : { custom_origin_server: origin }),
    ...(tier === undefined ? {} : { custom_metadata: { tier } }),
    ...(tls === undefined || tls === "none" ? {} : { ssl: sslEntry(tls, branding, isOwn) }),
    ...(protect === undefined ? {} : { protect }),
  };
}

function sslEntry(tls: string, branding: boolean | undefined, isOwn: true | undefined): JsonObject {
  return {
    method: "http",
    settings: { min_tls_version: tls },
    ...(branding === undefined ? {} : { cloudflare_branding: branding }),
    ...(isOwn ? { custom_certificate: { env: "OWN_CERTIFICATE" }, custom_key: { env: "OWN_KEY" } } : {}),
  };
}

/**
 * Metadata and an owner's own certificate are for Enterprise zones. Branding is decided at creation and never shown
 * again, so the YAML either always declares it for a name, or never.
 */
function wishedHostname(dice: Dice, { names, waf, isFirst }: Habits): Edit {
  const isGone = !isFirst && dice.chance(0.45);
  const name = dice.pick(names);
  if (isGone) return { edit: "hostname", name, as: null };
  const isBranded = /[147]/.test(name);
  const isOwn = name === OWN_NAME;
  const tls = isBranded || isOwn ? dice.pick(["1.0", "1.2"] as const) : dice.pick(["none", "1.0", "1.2"] as const);
  const as: WishedHostname = {
    tls,
    ...(isOwn ? { isOwn } : {}),
    ...(dice.chance(0.5) ? { origin: dice.pick(ORIGINS) } : {}),
    ...(waf !== "business" && dice.chance(0.6) ? { tier: dice.pick(TIERS) } : {}),
    ...(isBranded ? { branding: dice.chance(0.3) } : {}),
    ...(dice.chance(0.1) ? { protect: dice.chance(0.5) } : {}),
  };
  return { edit: "hostname", name, as };
}

/** Settings of `ssl` that the YAML never declares. */
const SETTINGS: readonly [Setting, ...Setting[]] = [
  { setting: "ciphers", value: ["ECDHE-RSA-AES128-GCM-SHA256"] },
  { setting: "ciphers", value: ["AES128-SHA", "ECDHE-ECDSA-AES128-GCM-SHA256"] },
  { setting: "early_hints", value: "on" },
  { setting: "early_hints", value: "off" },
  { setting: "http2", value: "off" },
  { setting: "http2", value: "on" },
  { setting: "tls_1_3", value: "on" },
  { setting: "tls_1_3", value: "off" },
];

interface Setting {
  readonly setting: string;
  readonly value: Json;
}

/** Mostly of undeclared fields. */
export function hostnameEdit(dice: Dice, name: string): HostnameAct {
  const throwOf = dice.fraction();
  if (throwOf < 0.45) return { act: "edit-ssl", name, ...dice.pick(SETTINGS) };
  if (throwOf < 0.8) return { act: "edit-note", name, note: `note ${dice.below(100)}` };
  return { act: "edit", name, tier: dice.pick(TIERS) };
}

/** Lets somebody create, edit or delete a hostname. */
export function editHostname(service: SimService, { foreign }: Ledger, act: HostnameAct): void {
  if (act.act === "create") {
    const custom_metadata = { tier: act.tier };
    const id = textIn(byDashboard(service, "POST", PATH, { hostname: act.name, custom_metadata }), "id");
    if (id !== undefined) foreign.add(id);
    return;
  }
  const record = service.zone().hostnames.named(act.name);
  if (!record) return;
  const path = `${PATH}/${record.id}`;
  switch (act.act) {
    case "edit":
      byDashboard(service, "PATCH", path, { custom_metadata: { tier: act.tier } });
      return;
    case "delete":
      byDashboard(service, "DELETE", path);
      return;
    case "edit-ssl": {
      // The service takes `ssl` as one unit, with all of its settings. A hostname with an owner's own certificate would
      // lose that.
      if (!record.ssl || record.ssl.uploaded) return;
      const settings = { ...record.ssl.settings, [act.setting]: act.value };
      byDashboard(service, "PATCH", path, { ssl: { method: record.ssl.method, type: "dv", settings } });
      return;
    }
    case "edit-note":
      byDashboard(service, "PATCH", path, { custom_metadata: { ...record.customMetadata, note: act.note } });
      return;
    default:
      act satisfies never;
  }
}

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

/** One hostname by its id or its name. */
export function trueHostname(service: SimService, idOrName: string): TrueHostname | undefined {
  return trueHostnames(service).find(({ id, name }) => id === idOrName || name === idOrName);
}

function contentOf(service: SimService, id: string): Content | undefined {
  const record = service.zone().hostnames.get(id);
  if (!record) return undefined;
  const { ssl, customOriginServer, customOriginSni, customMetadata } = record;
  return flat({
    ...(customOriginServer === null ? {} : { custom_origin_server: customOriginServer }),
    ...(customOriginSni === null ? {} : { custom_origin_sni: customOriginSni }),
    ...(customMetadata === null ? {} : { custom_metadata: customMetadata }),
    ...(ssl === null ? {} : { ssl: { method: ssl.method, settings: ssl.settings } }),
  });
}

function differences(
  { service, ledger }: Stage,
  { lifecycle, hostnames }: Wish,
  { state, refused }: Seen,
): readonly string[] {
  if (lifecycle !== "zoneform") return [];
  const found: string[] = [];
  // Branding is never shown: if the engine did not see a hostname being created, or once released it, nobody can know
  // it.
  const isUnknown = (id: string): boolean =>
    [ledger.foreign, ledger.unanswered, ledger.released].some((ids) => ids.has(id));
  for (const [name, wished] of hostnames) {
    if (refused.has(name)) continue;
    const live = trueHostname(service, name);
    const isAs =
      live &&
      [undefined, live.origin].includes(wished.origin) &&
      [undefined, live.tier].includes(wished.tier) &&
      (wished.tls === undefined || wished.tls === "none" || wished.tls === live.tls) &&
      (wished.branding === undefined || isUnknown(live.id) || wished.branding === live.branding);
    if (!isAs) found.push(`${name} is ${JSON.stringify(live ?? null)}, wished ${JSON.stringify(wished)}`);
  }
  // What a request whose answer was lost may have created is remembered for a while.
  for (const { kind, key, undeclared, pending } of state?.objects.values() ?? []) {
    if (kind === "custom_hostname" && !undeclared && !pending && !hostnames.has(key) && !refused.has(key))
      found.push(`${key} is still tracked, and no longer wished`);
  }
  return found;
}

function drifted(
  service: SimService,
  { id, key, undeclared }: StateObject,
  { hostnames, lifecycle }: Wish,
  leaf: Leaf,
): readonly string[] {
  const wished = hostnames.get(key);
  if (!wished || undeclared || lifecycle !== "zoneform") return [];
  const live = trueHostname(service, id);
  if (!live) return trueHostnames(service).some(({ name }) => name === key) ? [] : [`hostname ${key} is gone`];
  return [
    ...leaf("custom_origin_server", wished.origin, live.origin),
    ...leaf("custom_metadata.tier", wished.tier, live.tier),
    ...(wished.tls === "none" ? [] : leaf("ssl.settings.min_tls_version", wished.tls, live.tls)),
  ];
}

function untrue(service: SimService, change: Change): readonly string[] {
  switch (change.action) {
    case "delete":
      return trueHostnames(service).some(({ id }) => id === change.id) ? ["it is live"] : [];
    case "create":
    case "update":
    case "replace":
    case "adopt": {
      const live = trueHostname(service, change.key);
      // The application may have deleted meanwhile what it owns.
      if (!live) return change.undeclared ? [] : ["it is not live"];
      const isHeld = (change.held?.leaves.length ?? 0) > 0;
      return [
        ...otherThan(sentIn(change, "custom_origin_server"), live.origin, "its origin"),
        ...otherThan(sentIn(change, "custom_metadata.tier"), live.tier, "its tier"),
        ...(isHeld ? [] : otherThan(sentIn(change, "ssl.settings.min_tls_version"), live.tls, "its TLS version")),
      ];
    }
    case "forget":
    case "held":
    case "no-op":
      return [];
    default:
      return change satisfies never;
  }
}

/** What a change sends for a field: a new object is sent whole; of an existing one, only what the plan names. */
function sentIn({ action, desired, leaves }: Change, leaf: string): unknown {
  const isWhole = action === "create" || action === "replace";
  const isNamed = leaves.some(({ path }) => path.join(".") === leaf);
  return isWhole || isNamed ? valueAt(desired, leaf.split(".")) : undefined;
}

function judgeDeletion(
  { ledger, party, wish, change }: Omit<Judged, "service">,
  write: Write,
  before: TrueHostname,
): void {
  const name = `${write.key} (${before.id})`;
  const planned = change?.id;
  if (planned !== before.id) ledger.blame("I5", `deletes ${name}, where the plan means ${planned ?? "no object"}`);
  const known = party.before?.objects.get(hostnameAddress(write.key));
  if (ledger.shielded.has(before.id)) ledger.blame("I5", `deletes ${name}, whose protection was applied`);
  const isKnown = known?.id === before.id || (known !== undefined && isTwin(known, before));
  if (ledger.foreign.has(before.id) && !isKnown && change?.action === "delete")
    ledger.blame("I14", `deletes ${name}, which somebody else made and the state does not know`);
  if (wish.forgotten.has(write.key) && !party.isUndo) ledger.blame("I5", `deletes ${name}, which was let go`);
  if (known?.protect === true) ledger.blame("I5", `deletes ${name}, which is protected`);
}

/**
 * Somebody created an object of the same name with the same content while a create of ours was running whose answer was
 * lost: nobody can distinguish the two, and the plan names it.
 */
function isTwin({ pending, applied }: StateObject, live: TrueHostname): boolean {
  const sent = [["custom_origin_server"], ["custom_metadata", "tier"], ["ssl", "settings", "min_tls_version"]];
  const shown = [live.origin, live.tier, live.tls];
  return pending !== undefined && sent.every((path, index) => valueAt(applied, path) === shown[index]);
}

function changedSincePlan({ verb }: Write, change: Change, seen: Content): readonly string[] {
  if (verb !== "delete")
    return change.leaves.flatMap(({ path, before, after: wanted, sensitive }) => {
      const leaf = path.join(".");
      if (sensitive || !EDITABLE.test(leaf)) return [];
      return [json(before), json(wanted)].includes(seen[leaf]) ? [] : [leaf];
    });
  const expected = change.expected && flat(change.expected);
  if (!expected) return [];
  const leaves = new Set([...Object.keys(expected), ...Object.keys(seen)]);
  return [...leaves].filter((leaf) => EDITABLE.test(leaf) && expected[leaf] !== seen[leaf]);
}

function json(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

/** The address of a hostname within its zone. */
export function hostnameAddress(name: string): string {
  return `custom_hostname[${JSON.stringify(name)}]`;
}

/** Whether a request reads a hostname: a list of one name, or the object by its id. */
export function isReadOf({ url }: HttpRequest, service: SimService, name: string): boolean {
  const path = pathInZone(url);
  if (path === PATH) return new URL(url).searchParams.get("hostname") === name;
  const id = service.zone().hostnames.named(name)?.id;
  return id !== undefined && path === `${PATH}/${id}`;
}

/** Whether a hostname is ready for production: it and its certificate are active. */
export function isServing(service: SimService, name: string): boolean {
  const record = service.zone().hostnames.named(name);
  return record?.status === "active" && (record.ssl === null || record.ssl.status === "active");
}
