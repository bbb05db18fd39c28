import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import type { Secret } from "../../../core/secret.ts";
import type { Away } from "../waiting.ts";
import type { StateStores } from "../../stores.ts";
import { zoneStores } from "../../zone/stores.ts";
import { parseHttpAddress } from "./address.ts";
import { httpEngine } from "./engine.ts";
import { indexState } from "./index-state.ts";
import { INDEX_NAME, type Place } from "./place.ts";
import { StateServer } from "./server.ts";
import type { Transport, TransportTls } from "./transport.ts";

/** What states on an HTTP server need besides their address. */
export interface HttpOptions {
  /** The environment of Terraform's `http` backend, which completes the address. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** Opens the way to the server; connects to nothing yet. */
  readonly connect: (tls: TransportTls) => Transport;
  /** The largest answer that this way can read: nothing larger is written. */
  readonly mostBytes?: number;
  /** Throws for a host to which nothing is to be sent. */
  readonly checkHost?: ((host: string) => void) | undefined;
  readonly away?: Away | undefined;
  /** Is told each password, so that nothing that is printed can hold it. */
  readonly learn?: ((secret: Secret) => void) | undefined;
}

/**
 * The states of projects on a server that speaks the protocol of Terraform's `http` backend. It connects at the first
 * use. Throws `StateError` for an address that cannot be used.
 */
export function httpStores(
  text: string,
  { env, clock, steady, random, connect, mostBytes, checkHost, away, learn }: HttpOptions,
): StateStores {
  const address = parseHttpAddress(text, env);
  checkHost?.(address.host);
  for (const secret of address.secrets) learn?.(secret);
  const transport = connect(address.tls);
  const server = new StateServer({ address, transport, clock, steady, mostBytes, away });
  const index = indexState({ server, clock, steady, random, name: INDEX_NAME, where: address.where(INDEX_NAME) });
  const place: Place = { address, server, index, clock, steady, random, sessions: new Map() };
  return zoneStores(
    httpEngine(place, () => transport.close()),
    { clock, random },
  );
}
