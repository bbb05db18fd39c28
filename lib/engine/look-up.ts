import { type Diagnostic, error, problem, Refusal, refusal } from "../core/diagnostic.ts";
import type { DesiredObject, DesiredZone, LoadedProject } from "../config/desired.ts";
import { unknownZone } from "../config/unknown-zone.ts";
import { formatAddress, parseAddress } from "../core/address.ts";
import { didYouMean, suggest } from "../core/suggest.ts";
import { quote } from "../core/quote.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindIfNamed, KINDS, parseTypedAddress } from "../kinds/registry.ts";
import { several } from "../core/lists.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Client } from "../service/client.ts";
import type { State, StateObject } from "../state/state.ts";

/** What a typed address means in the project. */
export interface Named {
  readonly zone: DesiredZone;
  readonly kind: Kind;
  readonly key: string;
  /** Absent if the YAML does not declare the object. */
  readonly object: DesiredObject | undefined;
}

/**
 * Finds the object for an address or a bare hostname. An undeclared object may be in one of `others`, the zones that
 * are known to have it. Throws `Refusal` for a text that names no object, or several.
 */
export function lookUp(
  { desired }: Pick<LoadedProject, "desired">,
  text: string,
  others: readonly DesiredZone[] = [],
): Named {
  const parts = parseTypedAddress(text);
  const kind = parts && kindIfNamed(parts.kind);
  if (!parts || !kind) throw new Refusal([notAnAddress(text)]);
  if (!kind.isSingle && parts.key === undefined)
    throw refusal(problem("address-without-key", { address: text, kind: kind.name }));
  const key = parts.key ?? "";
  const zones = desired.zones.filter(
    ({ name, id }) => parts.zone === undefined || parts.zone === name || parts.zone === id,
  );
  const declaring = zones.filter((zone) => objectOf(zone, kind, key));
  const having = declaring.length > 0 ? declaring : zones.filter((each) => others.includes(each));
  const found = having.length > 0 ? having : zones;
  const [zone] = found;
  if (!zone) {
    const known = desired.zones.map(({ name }) => name);
    throw new Refusal([unknownZone({ name: parts.zone ?? "" }, known)]);
  }
  if (found.length > 1) {
    const addresses = found.map(({ name }) => formatAddress({ ...parts, zone: name }));
    throw new Refusal([ambiguous(text, addresses, having.length > 0, nearest(found, kind, key))]);
  }
  return { zone, kind, key, object: objectOf(zone, kind, key) };
}

/** What is wrong with the form of an address, or with its kind; undefined for nothing. */
export function addressFault(text: string): Diagnostic | undefined {
  const kind = parseTypedAddress(text)?.kind;
  return kind !== undefined && kindIfNamed(kind) ? undefined : notAnAddress(text);
}

/**
 * A typed key in the spelling of its kind: declared objects have no other. Throws `Refusal` for a text that cannot be a
 * key of the kind.
 */
export function spelledKey(kindName: string, text: string): string {
  const kind = kindIfNamed(kindName);
  const key = kind?.parseKey ? kind.parseKey(text) : text;
  if (key !== undefined) return key;
  throw refusal(problem("not-a-key", { key: quote(text), kind: kindName }));
}

/** Whether the service itself knows objects of a kind by the key in their address, so that they have no other key. */
export function isNamedLive(kindName: string): boolean {
  return kindIfNamed(kindName)?.hasFreeKey !== true;
}

function notAnAddress(text: string): Diagnostic {
  const names = KINDS.map(({ name }) => name);
  const parts = parseAddress(text);
  const remedy = parts ? didYouMean(parts.kind, names) : "";
  return error(problem("not-an-address", { address: quote(text), kinds: names.join(", ") }, { remedy }));
}

/** The declared address that may have been meant. */
export function nearest(zones: readonly DesiredZone[], kind: Kind, key: string): string | undefined {
  const declared = zones.flatMap((zone) =>
    zone.objects.filter((object) => object.kind === kind.name).map((object) => ({ zone, object })),
  );
  const found = suggest(
    key,
    declared.map(({ object }) => object.key),
  );
  const zone = declared.find(({ object }) => object.key === found)?.zone;
  return found === undefined || !zone
    ? undefined
    : formatAddress({ ...(found === "" ? {} : { key: found }), kind: kind.name, zone: zone.name });
}

function ambiguous(
  text: string,
  addresses: readonly string[],
  isDeclared: boolean,
  guess: string | undefined,
): Diagnostic {
  const where = isDeclared ? `in ${addresses.length} zones` : "declared in no zone";
  const remedy = isDeclared || guess === undefined ? "" : `did you mean ${guess}?`;
  return error(problem("ambiguous-address", { address: text, where, addresses: addresses.join(" or ") }, { remedy }));
}

function objectOf(zone: DesiredZone, kind: Kind, key: string): DesiredObject | undefined {
  return zone.objects.find((object) => object.kind === kind.name && object.key === key);
}

/**
 * The tracked objects that are deleted, each read by its id. Skips objects that a stopped run left open, because they
 * have no id yet. Throws what the client throws.
 */
export async function missingObjects(
  client: Client,
  zone: ZoneId,
  { objects }: State,
  signal?: AbortSignal,
): Promise<readonly { readonly address: string; readonly object: StateObject }[]> {
  const tracked = [...objects].filter(([, { id, pending }]) => id !== "" && !pending);
  const isLive = async ([, object]: (typeof tracked)[number]): Promise<boolean> => {
    const kind = kindIfNamed(object.kind);
    return !kind || (await kind.read(client, zone, object, signal)) !== undefined;
  };
  const asked = await several(tracked, isLive);
  return asked.flatMap(([[address, object], isThere]) => (isThere ? [] : [{ address, object }]));
}
