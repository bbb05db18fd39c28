import type { Clock } from "../core/clock.ts";
import type { ServiceClock } from "../service/client.ts";

/**
 * Now, in milliseconds since the epoch, by the service's clock if known, else by the local one. It dates everything
 * that later runs compare with their own time, because local clocks differ and jump.
 */
export function serviceMoment(service: ServiceClock, clock: Clock): number {
  return service.serviceTime() ?? clock.now();
}
