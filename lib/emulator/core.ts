import type { Behaviour } from "./behaviour.ts";
import type { ServiceClock } from "./clock.ts";
import type { FaultBook } from "./faults.ts";
import type { Ids } from "./ids.ts";
import type { BucketLimiter, IssuanceLimiter, RequestLimiter } from "./limits.ts";
import type { RequestLog } from "./request-log.ts";
import type { Store } from "./store.ts";
import type { Timers } from "./timers.ts";
import type { World } from "./world.ts";

/** The parts of one running service. */
export interface Core {
  readonly behaviour: Behaviour;
  readonly clock: ServiceClock;
  ids: Ids;
  readonly store: Store;
  readonly world: World;
  readonly timers: Timers;
  readonly requestLimiter: RequestLimiter;
  readonly issuanceLimiter: IssuanceLimiter;
  readonly purgeLimiter: BucketLimiter;
  readonly faults: FaultBook;
  readonly log: RequestLog;
}
