import type { Engine } from "../engine.ts";
import { SharedTexts } from "../shared-texts.ts";
import type { Contender } from "../shared-value.ts";
import type { StateStores } from "../stores.ts";
import type { ProjectStore } from "../upkeep.ts";
import { sharedClaims } from "./claims.ts";
import { keptZones } from "./entries.ts";
import { zoneStore } from "./store.ts";

/** The states of projects on an engine. */
export function zoneStores(engine: Engine, contender: Contender): StateStores {
  const stores = new Map<string, ProjectStore>();
  /** A plan reads the claims and the mark of a move: both are in one text. */
  const texts = new SharedTexts(engine.shared("claims"));
  const afresh = {
    ...engine,
    lock: (...wish: Parameters<Engine["lock"]>) => engine.lock(...wish).finally(() => texts.forget()),
    commit: (...change: Parameters<Engine["commit"]>) => engine.commit(...change).finally(() => texts.forget()),
  };
  return {
    of: (project) => {
      const store = stores.get(project) ?? zoneStore(afresh, project, contender.clock);
      stores.set(project, store);
      return store;
    },
    kept: () => keptZones(engine),
    claims: sharedClaims(texts.text("claims"), engine.describe(), contender),
    // The salt is written once, and without it nothing opens: it stays apart from what is written often.
    shared: (name) => (name === "salt" ? engine.shared(name) : texts.text(name)),
    describe: () => engine.describe(),
    close: () => engine.close(),
  };
}
