import type { Clock } from "../core/clock.ts";
import type { Http } from "./http.ts";

/** The service's clock, as its responses show it. */
export interface ServiceClock {
  /** An `Http` that reads the clock from each response. */
  readonly http: Http;
  /**
   * The service's time in milliseconds since the epoch, never earlier than any response so far shows. It is the local
   * time before the first response, and if responses have no date.
   */
  readonly now: () => number;
}

/** A `Date` header has whole seconds, so what the same response shows may be up to this much later. */
const WITHIN_MILLISECONDS = 999;

/** Reads the service's clock from the `Date` header of its responses. */
export function openServiceClock(http: Http, clock: Pick<Clock, "now">): ServiceClock {
  let aheadMilliseconds = 0;
  return {
    http: {
      send: async (request, signal) => {
        const response = await http.send(request, signal);
        const date = Date.parse(response.headers["date"] ?? "");
        if (!Number.isNaN(date)) aheadMilliseconds = date + WITHIN_MILLISECONDS - clock.now();
        return response;
      },
    },
    now: () => clock.now() + aheadMilliseconds,
  };
}
