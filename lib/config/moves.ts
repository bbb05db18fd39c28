import { formatAddress, parseAddress } from "../core/address.ts";
import { error, formatPosition, type Position } from "../core/diagnostic.ts";
import { didYouMean } from "../core/suggest.ts";
import { kindIfNamed } from "../resources/registry.ts";
import type { DesiredZone, Forget, Move } from "./desired.ts";
import { child, items, type Node, textOf } from "./node.ts";
import type { Report } from "./report.ts";

/** Decodes `moved`: where hostnames of this zone come from. What needs the other zones is checked by `checkMoves`. */
export function decodeMoves(node: Node | undefined, zone: string, report: Report): readonly Move[] {
  return items(node).flatMap((item): Move[] => {
    const fromNode = child(item, "from") ?? item;
    const from = parseAddress(textOf(fromNode) ?? "");
    const toNode = child(item, "to");
    const to = toNode ? parseAddress(textOf(toNode) ?? "") : from;
    if (from?.kind !== MOVABLE || from.key === undefined) return wrong(fromNode.at, report);
    const isHere = !toNode || to?.zone === undefined || to.zone === zone;
    if (to?.kind !== MOVABLE || to.key === undefined || !isHere) return wrong(toNode?.at ?? fromNode.at, report);
    const move: Move = { from: { zone: from.zone ?? zone, key: from.key }, to: { zone, key: to.key }, at: fromNode.at };
    if (move.from.zone !== zone || move.from.key !== move.to.key) return [move];
    report(
      error({
        code: "move-to-itself",
        message: "it would move to where it is",
        remedy: "name the other zone in from, or the new hostname in to",
        at: fromNode.at,
      }),
    );
    return [];
  });
}

/** Only hostnames have a customer's DNS to wait for; other objects are created and deleted in one plan. */
const MOVABLE = "custom_hostname";

function wrong(at: Position, report: Report): [] {
  report(
    error({
      code: "not-movable",
      message: "only a custom hostname moves, into this zone",
      remedy: `write it as in from: 'other-zone.net/custom_hostname["app.customer-one.net"]'`,
      at,
    }),
  );
  return [];
}

/** Decodes `forget`: objects that are dropped from the state and stay live. */
export function decodeForgets(node: Node | undefined, report: Report): readonly Forget[] {
  return items(node).flatMap((item): Forget[] => {
    const parts = parseAddress(textOf(item) ?? "");
    const kind = parts && kindIfNamed(parts.kind);
    if (parts && kind && parts.zone === undefined && (parts.key !== undefined || kind.isSingle)) {
      const key = parts.key ?? "";
      return [{ address: formatAddress({ kind: kind.name, ...(key === "" ? {} : { key }) }), at: item.at }];
    }
    report(
      error({
        code: "not-an-address",
        message: `${JSON.stringify(textOf(item) ?? "")} is no address of an object of this zone`,
        remedy: `write it as in 'custom_hostname["app.customer-one.net"]', without the zone's name`,
        at: item.at,
      }),
    );
    return [];
  });
}

/** Checks what is moved and forgotten against what all zones declare. */
export function checkMoves(zones: readonly DesiredZone[], report: Report): void {
  const declaredAt = (zone: DesiredZone, address: string): Position | undefined =>
    zone.objects.find(({ kind, key }) => formatAddress({ kind, ...(key === "" ? {} : { key }) }) === address)?.at;
  for (const zone of zones) {
    for (const { from, to, at } of zone.moves) {
      const source = zones.find(({ name }) => name === from.zone);
      if (!source) {
        const names = zones.map(({ name }) => name);
        const message = `the project has no zone ${JSON.stringify(from.zone)}`;
        report(
          error({
            code: "unknown-zone",
            message,
            remedy: didYouMean(from.zone, names) || `it has ${names.join(", ")}`,
            at,
          }),
        );
        continue;
      }
      const stillAt = declaredAt(source, formatAddress({ kind: MOVABLE, key: from.key }));
      if (stillAt) {
        const message = `it is still declared in ${from.zone}, at ${formatPosition(stillAt)}`;
        report(
          error({
            code: "moved-and-declared",
            message,
            remedy: "remove it there: it is deleted once the new one serves",
            at,
          }),
        );
      }
      if (declaredAt(zone, formatAddress({ kind: MOVABLE, key: to.key }))) continue;
      const message = `${to.key} is not declared in ${to.zone}`;
      report(
        error({
          code: "moved-and-not-declared",
          message,
          remedy: "declare it here: it is created, and the old one waits for it",
          at,
        }),
      );
    }
    for (const { address, at } of zone.forgets) {
      const stillAt = declaredAt(zone, address);
      if (!stillAt) continue;
      const message = `it is declared, at ${formatPosition(stillAt)}, and cannot be forgotten as well`;
      report(error({ code: "forgotten-and-declared", message, remedy: "remove one of the two", at }));
    }
  }
}
