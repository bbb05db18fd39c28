import type { JsonObject } from "../../lib/core/json.ts";
import { hostnameAddress } from "./kinds/custom-hostname.ts";
import type { Moving, Place } from "./scenario.ts";
import { edited, type Wish } from "./wish.ts";
import { type Side, ZONES } from "./zones.ts";

/** What the YAML of each zone says. */
export type Wishes = Readonly<Record<Side, Wish>>;

/** The wishes after a hostname was moved from one entry to another; unchanged if nobody declares it. */
export function movedIn(wishes: Wishes, { from, to, as }: Moving): Wishes {
  if (!isDeclared(wishes, from)) return wishes;
  const left = { ...wishes, [from.side]: edited(wishes[from.side], { edit: "hostname", name: from.name, as: null }) };
  return { ...left, [to.side]: edited(left[to.side], { edit: "hostname", name: to.name, as }) };
}

/** The wishes without the hostnames of the second zone that the first one declares: a hostname belongs to one zone. */
export function withoutTwins(wishes: Wishes): Wishes {
  const twins = [...wishes.next.hostnames.keys()].filter((name) => isDeclared(wishes, { side: "main", name }));
  return {
    ...wishes,
    next: twins.reduce((next, name) => edited(next, { edit: "hostname", name, as: null }), wishes.next),
  };
}

/**
 * The moves that the YAML may contain: the new hostname is declared, and the old one is not. A hostname's last move
 * counts.
 */
export function movesInForce(wishes: Wishes, moves: readonly Moving[]): readonly Moving[] {
  const latest = new Map(moves.map((move) => [`${move.from.side} ${move.from.name}`, move]));
  return [...latest.values()].filter(({ from, to }) => isDeclared(wishes, to) && !isDeclared(wishes, from));
}

/** The lines of `moved` in a zone's file. */
export function movedLines(side: Side, moves: readonly Moving[]): readonly JsonObject[] {
  return moves.flatMap(({ from, to }) =>
    to.side === side
      ? [
          {
            from: `${ZONES[from.side].name}/${hostnameAddress(from.name)}`,
            ...(from.name === to.name ? {} : { to: hostnameAddress(to.name) }),
          },
        ]
      : [],
  );
}

function isDeclared(wishes: Wishes, { side, name }: Place): boolean {
  const { lifecycle, hostnames } = wishes[side];
  return lifecycle === "zoneform" && hostnames.has(name);
}
