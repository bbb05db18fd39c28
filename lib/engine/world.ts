import { defined } from "../core/json.ts";
import type { DesiredZone, Heading, LoadedProject, StateSettings } from "../config/desired.ts";
import { unknownZone } from "../config/unknown-zone.ts";
import { loadHeading, loadProject } from "../config/load.ts";
import type { Clock, Random } from "../core/clock.ts";
import { type Diagnostic, Refusal } from "../core/diagnostic.ts";
import type { FileSystem } from "../core/file-system.ts";
import type { Budget } from "../core/rate-limits.ts";
import type { Secret } from "../core/secret.ts";
import type { FreshClient } from "../service/client.ts";
import type { StateStores } from "../state/stores.ts";
import type { ProjectStore } from "../state/zone/store.ts";

/** What the engine works with: everything outside the process, built once by the caller. */
export interface World {
  readonly fs: FileSystem;
  /** Returns the client for calls within a budget; the same one for every call, because limits count by credential. */
  readonly connect: (budget: Budget) => FreshClient;
  /**
   * Opens the place of the states, the same one each time. The project file cannot choose it, only make this refuse, so
   * that no file of the repository decides where a password is sent. Throws `Refusal`.
   */
  readonly openStores: (settings: StateSettings) => Promise<StateStores>;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with each secret when it is read, so that it can be hidden in everything that is printed. */
  readonly learn?: (secret: Secret) => void;
  /** Called with the findings of a run besides its result. */
  readonly note?: (found: Diagnostic) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The states of this project. */
export interface ProjectStates {
  /** The name of the project. */
  readonly project: string;
  readonly stores: StateStores;
  readonly store: ProjectStore;
}

/** A world with the states of a project. */
export type ProjectWorld = World & ProjectStates;

/** Opens the states of a project in the world. */
export async function enterProject<Given extends Pick<World, "openStores">>(
  world: Given,
  { heading: { project, state } }: Pick<LoadedProject, "heading">,
): Promise<Given & ProjectStates> {
  const stores = await world.openStores(state);
  stores.forget();
  return { ...world, project, stores, store: stores.of(project) };
}

/** A loaded project, and the warnings about it. */
export interface ReadProject {
  readonly project: LoadedProject;
  readonly warnings: readonly Diagnostic[];
  /** The time by which exceptions have ended or not, in milliseconds since the epoch. */
  readonly today: number;
}

/** Which configuration to read. */
export interface ProjectOptions {
  /** The path of `zoneform.yaml`. */
  readonly file: string;
  /** `--source NAME=FILE`. */
  readonly sources?: Readonly<Record<string, string>>;
  /** `--complete-source NAME`. */
  readonly completeSources?: readonly string[];
  /** Names or ids of the zones to read; empty or absent for all. */
  readonly zones?: readonly string[];
  /** Whether to record observations for later runs; only for commands that write nothing else. */
  readonly records?: boolean;
}

/** The configuration has errors. Commands read it before they call the service, so nothing was sent. */
export class BrokenConfiguration extends Refusal {}

/**
 * Loads, parses, validates and resolves the configuration. Throws `BrokenConfiguration` with all errors. A missing
 * secret is one of them, unless secrets are optional.
 */
export async function readProject(
  { fs, env, clock, learn }: Pick<World, "fs" | "env" | "clock" | "learn">,
  options: ProjectOptions,
  secrets?: "where-at-hand",
  today: number = clock.now(),
): Promise<ReadProject> {
  const { file, sources, completeSources } = options;
  const loaded = await loadProject(
    { fs, env, today, ...defined({ learn }) },
    { file, ...defined({ sources, completeSources, secrets }) },
  );
  if (!loaded.ok) throw new BrokenConfiguration(loaded.diagnostics);
  return { project: loaded.value, warnings: loaded.warnings, today };
}

/**
 * Reads the project, by default without unavailable secrets, and calls `look` with it. Only the service's responses give
 * its date: if more exceptions have ended by then than by the local clock, it reads and calls again.
 */
export async function withProject<T>(
  world: World,
  options: ProjectOptions,
  look: (read: ReadProject) => Promise<T>,
  secrets: "where-at-hand" | "required" = "where-at-hand",
): Promise<T> {
  const wanted = secrets === "required" ? undefined : secrets;
  const read = await readProject(world, options, wanted);
  const found = await look(read);
  const now = world.connect(read.project.desired.budget).serviceTime();
  if (now === undefined || dayOf(now) === dayOf(world.clock.now())) return found;
  const again = await readProject(world, options, wanted, now);
  return endedExceptions(again) === endedExceptions(read) ? found : look(again);
}

/** Days end when exceptions do. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** How many exceptions have ended: for the same files, an equal count means the same ones. */
function endedExceptions({ warnings }: ReadProject): number {
  return warnings.filter(({ code }) => code === "exception-ended").length;
}

/** Reads only the part of the project file that concerns the project as a whole. Throws `BrokenConfiguration`. */
export async function readHeading(world: Pick<World, "fs" | "env">, file: string): Promise<Heading> {
  const loaded = await loadHeading(world, file);
  if (!loaded.ok) throw new BrokenConfiguration(loaded.diagnostics);
  return loaded.value;
}

/** The selected zones, by name or id. Throws `Refusal` for one that the project does not have. */
export function zonesOf({ desired }: LoadedProject, wanted: readonly string[]): readonly DesiredZone[] {
  const unknown = wanted.filter((name) => !desired.zones.some((zone) => zone.name === name || zone.id === name));
  const names = desired.zones.map(({ name }) => name);
  if (unknown.length > 0) throw new Refusal(unknown.map((name) => unknownZone({ name }, names)));
  return wanted.length === 0
    ? desired.zones
    : desired.zones.filter(({ name, id }) => wanted.includes(name) || wanted.includes(id));
}
