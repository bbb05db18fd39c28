import { error, formatPosition, type Position, problem } from "../core/diagnostic.ts";
import { formatAddress } from "../core/address.ts";
import { kindIfNamed, parseTypedAddress } from "../kinds/registry.ts";
import type { DesiredZone, Move } from "./desired.ts";
import { unknownZone } from "./unknown-zone.ts";
import type { MoveSection } from "./document-types.ts";
import { placeOf } from "./document.ts";
import type { Report } from "./report.ts";

/** Decodes `moved`: where hostnames of this zone come from. `checkMoves` checks what depends on other zones. */
export function decodeMoves(sections: readonly MoveSection[], zone: string, report: Report): readonly Move[] {
  return sections.flatMap((section): Move[] => {
    const at = placeOf(section, "from");
    const from = parseTypedAddress(section.from);
    const to = section.to === undefined ? from : parseTypedAddress(section.to);
    if (from?.kind !== MOVABLE || from.key === undefined) return wrong(at, report);
    const isHere = section.to === undefined || to?.zone === undefined || to.zone === zone;
    if (to?.kind !== MOVABLE || to.key === undefined || !isHere)
      return wrong(section.to === undefined ? at : placeOf(section, "to"), report);
    const move: Move = { from: { zone: from.zone ?? zone, key: from.key }, to: { zone, key: to.key }, at };
    if (move.from.zone !== zone || move.from.key !== move.to.key) return [move];
    report(error(problem("move-to-itself", {}, { at })));
    return [];
  });
}

/** Only hostnames wait for a customer's DNS; other objects are created and deleted in one plan. */
const MOVABLE = "custom_hostname";

function wrong(at: Position, report: Report): [] {
  report(error(problem("not-movable", {}, { at })));
  return [];
}

/** Decodes `forget`: the addresses of objects that are dropped from the state and stay live, with their positions. */
export function decodeForgets(addresses: readonly string[], report: Report): ReadonlyMap<string, Position> {
  const forgets = addresses.flatMap((address, index): [string, Position][] => {
    const at = placeOf(addresses, index);
    const parts = parseTypedAddress(address);
    const kind = parts && kindIfNamed(parts.kind);
    if (parts && kind && parts.zone === undefined && (parts.key !== undefined || kind.isSingle)) {
      const key = parts.key ?? "";
      return [[formatAddress({ kind: kind.name, ...(key === "" ? {} : { key }) }), at]];
    }
    const message = `${JSON.stringify(address)} is not the address of an object in this zone`;
    const remedy = `for example: 'custom_hostname["app.customer-one.net"]', without the zone's name`;
    report(error({ code: "not-an-address", message, remedy, at }));
    return [];
  });
  return new Map(forgets);
}

/** Where the objects of a zone are declared, by address without the zone's name. */
type Declared = ReadonlyMap<string, Position>;

/** Checks `moved` and `forget` against the declarations of all zones; `count` is the number of zones. */
export function checkMoves(zones: readonly DesiredZone[], count: number, report: Report): void {
  if (zones.every(({ moves, forgets }) => moves.length === 0 && forgets.size === 0)) return;
  const declaredIn = new Map(zones.map((zone) => [zone.name, declaredBy(zone)]));
  for (const { name, moves, forgets } of zones) {
    const here = declaredIn.get(name) ?? new Map();
    for (const move of moves) {
      // If zones are missing, the named one may be a zone with an error.
      if (declaredIn.has(move.from.zone) || zones.length === count) checkMove(move, here, declaredIn, report);
    }
    for (const [address, at] of forgets) checkForgotten(here.get(address), at, report);
  }
}

function declaredBy({ objects }: DesiredZone): Declared {
  return new Map(objects.map(({ kind, key, at }) => [formatAddress({ kind, ...(key === "" ? {} : { key }) }), at]));
}

function checkMove(
  { from, to, at }: Move,
  here: Declared,
  declaredIn: ReadonlyMap<string, Declared>,
  report: Report,
): void {
  const source = declaredIn.get(from.zone);
  if (!source) {
    report({ ...unknownZone({ name: from.zone }, [...declaredIn.keys()]), at });
    return;
  }
  const stillAt = source.get(formatAddress({ kind: MOVABLE, key: from.key }));
  if (stillAt) {
    const values = { hostname: from.key, zone: from.zone, place: formatPosition(stillAt) };
    report(error(problem("moved-and-declared", values, { at })));
  }
  if (here.has(formatAddress({ kind: MOVABLE, key: to.key }))) return;
  report(error(problem("moved-and-not-declared", { hostname: to.key, zone: to.zone }, { at })));
}

function checkForgotten(stillAt: Position | undefined, at: Position, report: Report): void {
  if (!stillAt) return;
  report(error(problem("forgotten-and-declared", { place: formatPosition(stillAt) }, { at })));
}
