import type { StateSettings } from "../config/desired.ts";
import { defined } from "../core/defined.ts";
import { placeError, StateError } from "../state/error.ts";
import type { StateStores } from "../state/stores.ts";
import { ENGINES, type StoresWorld } from "./engines.ts";
import { type GivenAddress, givenAddress, secretsIn } from "./state-address.ts";
import { checkHost, stateEngine } from "./state-engine.ts";

/** The place of the states, without the settings in the files of the repository. */
export interface StoresOptions {
  /** The path of the project file. */
  readonly file: string;
  /** Where relative paths start. */
  readonly folder: string;
  /** `--state`. */
  readonly address?: string | undefined;
  /** The flag that gave the address, if it is not `--state`. */
  readonly flag?: "--to";
}

/** Opens the place of the states, once for the same settings, and closes it. */
export interface StoresOpener {
  open(settings: StateSettings): Promise<StateStores>;
  readonly close: () => Promise<void>;
}

/** Makes the opener; it does not connect yet. */
export function storesOpener(world: StoresWorld, options: StoresOptions): StoresOpener {
  const found = givenAddress(options.address, world.env);
  const given = found && options.flag ? { ...found, from: options.flag } : found;
  for (const secret of secretsIn(given?.text ?? "")) world.learn(secret);
  const opened = new Map<string, Promise<StateStores>>();
  return {
    open: (settings) => {
      const key = JSON.stringify(settings);
      const stores = opened.get(key) ?? openStores(world, options, given, settings);
      opened.set(key, stores);
      return stores;
    },
    close: async () => {
      for (const stores of opened.values()) await (await stores.catch(() => undefined))?.close();
    },
  };
}

/** Opens the place that the address names; the project file may only confirm it. Throws `Refusal`. */
async function openStores(
  world: StoresWorld,
  options: StoresOptions,
  given: GivenAddress | undefined,
  settings: StateSettings,
): Promise<StateStores> {
  const engine = stateEngine(settings, given, world.env);
  const check = (hosts: string): void => checkHost(settings, given, hosts);
  const opening = { ...options, address: given?.text, settings, checkHost: check };
  return ENGINES[engine].open(world, opening).catch((thrown: unknown) => {
    throw thrown instanceof StateError && thrown.diagnostic.code === "state-engine" ? at(settings, thrown) : thrown;
  });
}

/** Reports where the project file differs from the address, with the place in the file. */
function at(settings: StateSettings, fault: StateError): StateError {
  return placeError({ ...fault.diagnostic, ...defined({ at: settings.at }) }, { cause: fault });
}
