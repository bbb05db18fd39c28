import { expect, test } from "vitest";
import { StateError } from "../../lib/state/error.ts";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import type { StateRequest } from "../../lib/state/engines/http/protocol.ts";
import { startHttpStates } from "../support/http-state-server.ts";
import { HOLDER, jumpingClock, ZONE } from "../support/state-world.ts";

const isWrite = ({ method, url }: StateRequest): boolean => method === "POST" && url.includes("?ID=");

test.each(["a run that ends", "state unlock"])(
  "%s reports why the state cannot be written, and not that the lock could not be freed afterwards",
  async (who) => {
    const server = await startHttpStates();
    const store = server.open({ clock: jumpingClock() }).of("suite");
    const lease = await store.lock(ZONE, HOLDER, 0);
    let unlocks = 0;
    let isTooLarge = false;
    server.interfere((request) => {
      if (isWrite(request)) {
        isTooLarge = true;
        return { status: 413, headers: {}, body: "" };
      }
      if (!isTooLarge || request.method !== "UNLOCK") return undefined;
      unlocks += 1;
      return "cut-before";
    });
    const failed: unknown = await (who === "state unlock" ? store.unlock(ZONE, lease.id) : lease.release()).catch(
      (thrown: unknown) => thrown,
    );
    expect(failed).toBeInstanceOf(StateError);
    expect(failed instanceof StateError ? failed.message : "").toContain("HTTP 413");
    expect(unlocks).toBe(1);
    expect(server.model.holderOf(nameOfState("suite", ZONE))).toBeDefined();
  },
);
