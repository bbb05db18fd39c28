import { realClock } from "../../lib/real/clock.ts";
import type { Claims } from "../../lib/state/zone/claims.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { STORES_FULL } from "../support/full.ts";
import type { ServerMode } from "../support/http-state-model.ts";
import { startHttpStates } from "../support/http-state-server.ts";
import { MODES } from "../support/http-states.ts";
import { brisk } from "../support/state-world.ts";
import { describeClaims } from "./claims-suite.ts";
import { describeStore } from "./suite.ts";

const TESTED: readonly ServerMode[] = STORES_FULL ? MODES : ["gitlab"];

/** A change of the lock's holder takes about 20 requests. */
const SHARE = 0.05;

for (const mode of TESTED) {
  describeStore(
    `the store on an HTTP server (${mode})`,
    async () => {
      const { open: openStores } = await startHttpStates(mode);
      const open = (clock = realClock): ProjectStore => openStores({ clock: brisk(clock) }).of("suite");
      return { store: open(), other: open(), open };
    },
    SHARE,
  );
}

describeClaims("the store on an HTTP server", async () => {
  const { address, model, open: openStores } = await startHttpStates("gitlab");
  let passed = 0;
  const clock = { ...realClock, now: () => realClock.now() + passed };
  const open = (): Claims => openStores({ clock: brisk(clock) }).claims;
  const pass = (milliseconds: number): void => {
    passed += milliseconds;
  };
  const block = async (): Promise<void> => {
    const info = { ID: "another", Operation: "list", Info: "", Who: "", Version: "", Created: "", Path: "" };
    model.handle({ method: "POST", url: `${address}/zoneform-index/lock`, headers: {}, body: JSON.stringify(info) });
  };
  return { claims: open(), other: open(), pass, block };
});
