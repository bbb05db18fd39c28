import type { Engine, Entry, Shared, ZoneKey } from "./engine.ts";
import { STATE } from "./engine.ts";
import { type Claims, sharedClaims } from "./zone/claims.ts";
import { keptZones } from "./zone/entries.ts";
import { SharedTexts } from "./zone/shared-texts.ts";
import type { Contender } from "./zone/shared-value.ts";
import { ProjectStore } from "./zone/store.ts";

/** Where the states of projects live: a folder, a schema of a database, a part of a bucket, a server. Two projects never see each other's. */
export interface StateStores {
  /** The states of one project, by its name in `zoneform.yaml`. Nothing is made before the first write. */
  of(project: string): ProjectStore;
  /** The zones of all projects for which something is kept, in order: for a caller that did not find the state of its own. */
  kept(): Promise<readonly ZoneKey[]>;
  /** What each project claims, so that no two of them manage the same thing. */
  readonly claims: Claims;
  /** A text that all projects of the place share; the name is a word. */
  shared(name: string): Shared;
  /** Forgets what was read of shared texts: each command begins with this, so that a process may run several. */
  forget(): void;
  /** The address of the place, as `--state` takes it; for messages: never a password. */
  describe(): string;
  /** The same place, by way of another engine that goes to this one: to encrypt, to announce, to refuse. */
  over(wrap: (engine: Engine) => Engine): StateStores;
  /** Closes the connections, if there are any. */
  close(): Promise<void>;
}

/** The states of projects on an engine. */
export function zoneStores(engine: Engine, contender: Contender): StateStores {
  /** A plan reads the claims and the mark of a move: both are in one text. */
  const texts = new SharedTexts(engine.shared("claims"));
  const base: Engine = {
    ...engine,
    // A state comes from where it lies, line by line: it may have a hundred thousand.
    body: (key, entry) => (entry.name === STATE ? engine.body(key, entry) : startFirst(engine, key, entry)),
    lock: (...wish) => engine.lock(...wish).finally(() => texts.forget()),
    commit: (...change) => engine.commit(...change).finally(() => texts.forget()),
    // The salt is written once, and without it nothing opens: it stays apart from what is written often.
    shared: (name) => (name === "salt" ? engine.shared(name) : texts.text(name)),
  };
  return storesOn(base, contender, () => texts.forget());
}

function storesOn(engine: Engine, contender: Contender, forget: () => void): StateStores {
  const stores = new Map<string, ProjectStore>();
  return {
    of: (project) => {
      const store = stores.get(project) ?? new ProjectStore(engine, project, contender.clock);
      stores.set(project, store);
      return store;
    },
    kept: () => keptZones(engine),
    claims: sharedClaims(engine.shared("claims"), engine.describe(), contender),
    shared: (name) => engine.shared(name),
    forget,
    describe: () => engine.describe(),
    over: (wrap) => storesOn(wrap(engine), contender, forget),
    close: () => engine.close(),
  };
}

/** The first lines of an entry are in the view: a reader who stops after them asks for nothing. */
async function* startFirst(engine: Engine, key: ZoneKey, entry: Entry): AsyncIterable<string> {
  yield* entry.start;
  if (entry.isWhole) return;
  let left = entry.start.length;
  for await (const line of engine.body(key, entry)) {
    if (left > 0) left -= 1;
    else yield line;
  }
}

/** The projects of these zones, in their order. */
export function projectsIn(kept: readonly ZoneKey[]): readonly string[] {
  return [...new Set(kept.map(({ project }) => project))];
}
