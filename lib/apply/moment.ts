import type { Clock } from "../core/clock.ts";
import type { ServiceClock } from "../service/client.ts";

/**
 * Now, in milliseconds since the epoch, by the clock of the service; by the local one where the service has not said it.
 * What later runs compare with their own time is dated by this: local clocks differ, and jump.
 */
export function serviceMoment(service: ServiceClock, clock: Clock): number {
  return service.serviceTime() ?? clock.now();
}
