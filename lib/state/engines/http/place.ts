import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import type { ZoneKey } from "../../engine.ts";
import type { HttpAddress } from "./address.ts";
import type { IndexState } from "./index-state.ts";
import type { StateServer } from "./server.ts";
import type { Session, SessionWorld } from "./session.ts";

/** What every part of the store needs. */
export interface Place {
  readonly address: HttpAddress;
  readonly server: StateServer;
  readonly index: IndexState;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** The sessions of the leases that were given out here, by `sessionName`. */
  readonly sessions: Map<string, Session>;
}

/** A zone of a project, as the server knows it. */
export type ZonePlace = SessionWorld & ZoneKey;

/** Where the state of a zone is. */
export function zoneOf({ address, clock, steady, random, server }: Place, { project, zone }: ZoneKey): ZonePlace {
  const name = nameOfState(project, zone);
  const owner = { project, zone };
  return { server, clock, steady, random, zone, project, name, where: address.where(name), owner };
}

/**
 * The name of a zone's state on the server: small letters, digits, hyphens and underscores, because servers refuse other
 * characters or ignore case. Two projects never share one.
 */
export function nameOfState(project: string, zone: string): string {
  const plain = project.replace(
    /[^a-z0-9-]/g,
    (other) => `_${(other.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`,
  );
  return `zoneform-${plain}-${zone}`;
}

/** The name of the state that has the list of the others, and the claims. */
export const INDEX_NAME = "zoneform-index";
