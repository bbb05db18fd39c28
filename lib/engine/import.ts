import { problem, Refusal, refusal } from "../core/diagnostic.ts";
import { formatAddress } from "../core/address.ts";
import { type Address, isHexId } from "../core/brand.ts";
import { IMPORT_FORMS } from "../core/import-forms.ts";
import { shellQuoted } from "../core/quote.ts";
import type { DesiredObject, DesiredZone, LoadedProject } from "../config/desired.ts";
import { unknownZone } from "../config/unknown-zone.ts";
import { enterProject, type ProjectOptions, withProject, type World } from "./world.ts";
import { lookUp, type Named } from "./look-up.ts";
import { timesOf } from "./observe.ts";
import { seenOf, serviceNow } from "../plan/seen.ts";
import { localAddress } from "../plan/targets.ts";
import type { Client } from "../service/client.ts";
import type { Kind, KindName } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed, KINDS, parseTypedAddress, HOSTNAMES } from "../kinds/registry.ts";
import { editState, type StateObject } from "../state/state.ts";
import { beginState, saveState } from "../state/load.ts";
import { lockedAsRefusal, type LockHolder } from "../state/lock.ts";

/** An import id in its parts (docs/semantics.md#import-ids). */
export type ImportId =
  | { readonly kind: "ruleset"; readonly zone: string; readonly id: string }
  /** Ids of custom hostnames and of certificate packs look the same. */
  | { readonly kind: "custom_hostname or certificate_pack"; readonly zone: string; readonly id: string }
  | { readonly kind: KindName; readonly zone: string; readonly key: string }
  | { readonly kind: undefined; readonly zone: string };

/**
 * Reads an import id: `zone/<zone>/<ruleset>`, `<zone>/<custom hostname id or name, or certificate pack id>`, `<zone>`.
 * Undefined for any other form.
 */
function parseImportId(text: string): ImportId | undefined {
  const parts = text.split("/");
  const [first = "", second = "", third = ""] = parts;
  if (parts.length === 3 && (first === "zone" || first === "zones") && isHexId(second) && isHexId(third)) {
    return { kind: "ruleset", zone: second, id: third };
  }
  if (!isHexId(first)) return undefined;
  if (parts.length === 1) return { kind: undefined, zone: first };
  if (parts.length !== 2 || second === "") return undefined;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[0-9a-f]{32}$/.test(second))
    return { kind: "custom_hostname or certificate_pack", zone: first, id: second };
  return importedByKey(first, second);
}

/** Any name may be a custom hostname's, so kinds that recognise their own names come first. */
function importedByKey(zone: string, text: string): ImportId {
  for (const kind of KINDS) {
    const key = kind.importedKey?.(text);
    if (key !== undefined) return { kind: kind.name, zone, key };
  }
  return { kind: HOSTNAMES.name, zone, key: text.toLowerCase() };
}

/** What an import found, before anything is written. */
export interface Found {
  readonly zone: DesiredZone;
  readonly kind: Kind;
  readonly live: Live;
  /** Absent if the YAML does not declare the object yet. */
  readonly object: DesiredObject | undefined;
  readonly address: Address;
  readonly project: LoadedProject;
}

/** Finds the object for an import id, and for an address if the id does not show the kind. Throws `Refusal`. */
export async function findForImport(
  world: World,
  options: ProjectOptions,
  id: string,
  address?: string,
): Promise<Found> {
  return withProject(world, options, ({ project }) => findIn(world, project, id, address), "required");
}

async function findIn(world: World, project: LoadedProject, id: string, address: string | undefined): Promise<Found> {
  const parsed = parseImportId(id);
  if (!parsed) throw notAnImportId(id, project.desired.zones);
  const zone = project.desired.zones.find((candidate) => candidate.id === parsed.zone);
  if (!zone) throw new Refusal([unknownZone({ id: parsed.zone }, [])]);
  const named = address === undefined ? undefined : lookUpIn(zone, project, address);
  const found = await firstLive(world, project, zone, kindsOf(parsed, named?.kind), parsed, named?.key);
  if (!found) throw refusal(problem("nothing-to-import", { id }, { remedy: `check the id; ${rightForm(id)}` }));
  const { kind, live } = found;
  if (named && named.key !== live.key)
    throw refusal(problem("another-object", { id, found: localAddress(kind.name, live.key), address: address ?? "" }));
  const object = zone.objects.find((candidate) => candidate.kind === kind.name && candidate.key === live.key);
  const isOneOfMany = project.desired.zones.length > 1;
  const key = live.key === "" ? {} : { key: live.key };
  return {
    zone,
    kind,
    live,
    object,
    address: formatAddress({ kind: kind.name, ...key, ...(isOneOfMany ? { zone: zone.name } : {}) }),
    project,
  };
}

const FORMS = `an id is ${IMPORT_FORMS.join(", ").replace(/, (?=<zone_id>$)/, ", or ")} with an address before it`;

/** For a hostname, or an address of one, we can give the import id; for any other text we show what may be wrong. */
function notAnImportId(text: string, zones: readonly DesiredZone[]): Refusal {
  const typed = parseTypedAddress(text);
  if (typed?.kind !== "custom_hostname" || typed.key === undefined)
    return notAnId(`${JSON.stringify(text)} is not an import id`, rightForm(text));
  const { zone: named, kind, key } = typed;
  const message = `${text} is ${text.includes("[") ? "an address" : "a hostname"}, not an import id`;
  const possible = zones.filter(({ id, name }) => named === undefined || named === name || named === id);
  const declaring = possible.filter(({ objects }) => objects.some((each) => each.kind === kind && each.key === key));
  const [zone, ...others] = declaring.length > 0 ? declaring : possible;
  if (!zone || others.length > 0)
    return notAnId(message, `${FORMS}; for this hostname, use the id of its zone: <zone_id>/${key}`);
  const commands = [`zoneform import ${shellQuoted(`${zone.id}/${key}`)}`];
  return notAnId(message, `${FORMS}; for this hostname:`, commands);
}

function notAnId(message: string, remedy: string, commands: readonly string[] = []): Refusal {
  return refusal(problem("not-an-import-id", { message }, { remedy, ...(commands.length > 0 ? { commands } : {}) }));
}

/** Shows the right form of an id whose parts are in the wrong order; else every form. */
function rightForm(text: string): string {
  const [, zone, id] = /^(?:zones?\/)?([0-9a-f]{32})\/([0-9a-f]{32})$/.exec(text) ?? [];
  if (zone !== undefined && !text.startsWith("zone")) return `a ruleset would be zone/${zone}/${id}`;
  const [, hostnameZone, hostname] = /^zones?\/([0-9a-f]{32})\/([^/]+)$/.exec(text) ?? [];
  return zone === undefined && hostnameZone !== undefined
    ? `a custom hostname would be ${hostnameZone}/${hostname}`
    : FORMS;
}

/** Looks an address up only in the zone of the id, even if the address names no zone. */
function lookUpIn(zone: DesiredZone, { desired }: LoadedProject, address: string): Named {
  const named = parseTypedAddress(address)?.zone;
  if (named !== undefined && named !== zone.name && named !== zone.id)
    throw refusal(problem("another-zone", { zone: zone.name, other: named }));
  return lookUp({ desired: { ...desired, zones: [zone] } }, address);
}

/** The kinds that the id can belong to; with an address, only its kind. */
function kindsOf(id: ImportId, named: Kind | undefined): readonly Kind[] {
  if (id.kind === undefined) {
    if (named?.isSingle) return [named];
    const kinds = KINDS.flatMap(({ name, isSingle }) => (isSingle ? name : [])).join(", ");
    throw refusal(problem("import-id-without-kind", { id: id.zone, kinds }));
  }
  const possible = id.kind === "ruleset" || "key" in id ? [kindNamed(id.kind)] : kindsWithId(id.id);
  const meant = named ? possible.filter(({ name }) => name === named.name) : possible;
  if (named && meant.length === 0)
    throw refusal(problem("another-kind", { kind: id.kind, other: named.name }, { remedy: FORMS }));
  return meant;
}

/** Ids of certificate packs have hyphens; those of custom hostnames may also have 32 digits without them. */
function kindsWithId(id: string): readonly Kind[] {
  const names = id.includes("-") ? (["custom_hostname", "certificate_pack"] as const) : (["custom_hostname"] as const);
  return names.map(kindNamed);
}

async function firstLive(
  world: World,
  project: LoadedProject,
  zone: DesiredZone,
  kinds: readonly Kind[],
  id: ImportId,
  key: string | undefined,
): Promise<{ readonly kind: Kind; readonly live: Live } | undefined> {
  for (const kind of kinds) {
    const live = await fetchLive(world, project, zone, kind, id, key);
    if (live) return { kind, live };
  }
  return undefined;
}

async function fetchLive(
  world: World,
  project: LoadedProject,
  zone: DesiredZone,
  kind: Kind,
  id: ImportId,
  key: string | undefined,
): Promise<Live | undefined> {
  const client = world.connect(project.desired.budget);
  if (id.kind === undefined) return kind.find(client, zone.id, "", world.signal);
  if ("key" in id) return findByKey(world, client, zone, kind, id.key);
  if (id.kind !== "ruleset") return kind.read(client, zone.id, { id: id.id, key: "" }, world.signal);
  const phase = key ?? (await findPhase(world, project, zone, id.id));
  const live = phase === undefined ? undefined : await kind.find(client, zone.id, phase, world.signal);
  return live?.id === id.id ? live : undefined;
}

/** A list that lags may show a deleted object, so the object is read again by its id. */
async function findByKey(
  { signal }: World,
  client: Client,
  zone: DesiredZone,
  kind: Kind,
  key: string,
): Promise<Live | undefined> {
  const listed = await kind.find(client, zone.id, key, signal);
  return listed && kind.read(client, zone.id, { id: listed.id, key: listed.key }, signal);
}

/** The phase of a ruleset, which its id does not show. Only entry points of the zone can be managed. */
async function findPhase(
  world: World,
  project: LoadedProject,
  zone: DesiredZone,
  id: string,
): Promise<string | undefined> {
  const request = { path: `/zones/${zone.id}/rulesets`, family: "rulesets", pageSizes: [50], style: "cursor" } as const;
  for await (const ruleset of world.connect(project.desired.budget).pages(request, world.signal)) {
    if (ruleset["id"] !== id) continue;
    if (ruleset["kind"] === "zone" && typeof ruleset["phase"] === "string") return ruleset["phase"];
    throw refusal(problem("not-an-entry-point", { id }));
  }
  return undefined;
}

/**
 * Writes the object into the state under the zone's lock. Declared values that are live now count as applied, so that
 * the next plan shows differences as changes of the YAML. Throws `Refusal`; `Locked` becomes exit code 7.
 */
export async function importIntoState(
  world: World,
  found: Found & { readonly object: DesiredObject },
  holder: Omit<LockHolder, "id">,
  waitMilliseconds: number,
): Promise<void> {
  const { zone, kind, live, object } = found;
  const { store } = await enterProject(world, found.project);
  const lease = await store
    .lock(zone.id, holder, waitMilliseconds, world.signal)
    .catch(lockedAsRefusal({ zone: zone.name, waitMilliseconds }));
  try {
    const saved = await beginState(store, lease, zone, world.random);
    const editor = editState(saved.state);
    const address = localAddress(kind.name, live.key);
    const before = saved.state.objects.get(address);
    await refuseToSupplant(world, found, before);
    // The state may have the object as a replaced one: it would have two addresses, and be deleted from that one.
    for (const [known, { kind: name, id }] of saved.state.objects)
      if (known !== address && name === kind.name && id === live.id) editor.delete(known);
    editor.set(address, {
      kind: kind.name,
      key: live.key,
      id: live.id,
      applied: kind.applied(object.values, live),
      // Only an apply removes protection, where it can be seen and approved.
      ...(object.protect || before?.protect ? { protect: true as const } : {}),
      ...seenOf(live, before, serviceNow(timesOf(world.clock, world.connect(found.project.desired.budget)))),
    });
    await saveState(store, lease, saved.version, editor.toState());
  } finally {
    await lease.release();
  }
}

/** Several live objects can have the same key; importing another one would orphan the tracked object silently. */
async function refuseToSupplant(
  world: World,
  { zone, kind, live, address, project }: Found,
  before: StateObject | undefined,
): Promise<void> {
  if (kind.replacement !== "create-first" || !before || before.id === "" || before.id === live.id) return;
  const client = world.connect(project.desired.budget);
  if (!(await kind.read(client, zone.id, before, world.signal))) return;
  throw refusal(problem("another-is-tracked", { address, id: before.id }));
}
