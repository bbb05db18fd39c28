import { lockLost, unreachable } from "./failure.ts";
import type { StateServer } from "./server.ts";

/** A body to store under a lock. */
export interface Sending {
  /** The name of the state on the server, and its address for messages. */
  readonly name: string;
  readonly where: string;
  /** The id of the lock and the body, asked for before each attempt. */
  readonly lockId: () => string;
  readonly body: () => string;
  /** Whether the body of this attempt is stored by now. */
  readonly isStored: () => Promise<boolean>;
  /** Is called just before another attempt; throws where that would be wrong. `mayArrive`: the last one may still arrive. */
  readonly again: (mayArrive: boolean) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a body until it is known to be stored. Throws `StoreConflict` if the lock is lost, and `StateError`. */
export async function send(
  server: StateServer,
  { name, where, lockId, body, isStored, again, signal }: Sending,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const written = await server.write(name, lockId(), body());
    if (written === "written") return;
    // An answer that was lost, or a refusal of something that an earlier attempt brought already.
    if (await isStored()) return;
    if (written === "locked") throw lockLost(where);
    if (!(await server.pause(attempt, signal))) throw unreachable(where, written.unclear);
    await again(written.mayArrive);
  }
}
