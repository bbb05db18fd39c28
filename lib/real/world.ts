import { defined } from "../core/json.ts";
import { Refusal, type Result } from "../core/diagnostic.ts";
import type { World } from "../engine/world.ts";
import { undividedBudget } from "../core/rate-limits.ts";
import { ApiClient } from "../service/api-client.ts";
import { readCredentials } from "../service/credentials.ts";
import { readEndpoint } from "../service/endpoint.ts";
import { Governor } from "../service/governor.ts";
import { openServiceClock } from "../service/http.ts";
import { tracingHttp } from "../service/trace.ts";
import type { Report } from "../service/service-event.ts";
import { undiciHttp } from "../service/undici-http.ts";
import { deriveKey, placeKeys, rememberKeys } from "../state/zone/sealing/cipher.ts";
import { announcingKeptLocks, announcingWaits, type LockWait, type StateStores } from "../state/stores.ts";
import type { Away } from "../state/engines/waiting.ts";
import { refusingMoved } from "../state/zone/marks.ts";
import { sealedStores } from "../state/zone/sealing/engine.ts";
import type { LockHolder } from "../state/lock.ts";
import { realClock, realRandom, realSteadyClock } from "./clock.ts";
import { disk, diskFrom } from "./disk.ts";
import { identity, userName } from "./identity.ts";
import { redactionOf, redactRefusals } from "./credential-redaction.ts";
import { sealingOf } from "./sealing.ts";
import { type StoresOpener, storesOpener } from "./stores.ts";
import { VERSION } from "./version.ts";

/** The part of a world that needs no service. */
export type LocalWorld = Pick<World, "fs" | "openStores" | "clock" | "random" | "env"> &
  Pick<Required<World>, "learn"> & {
    /** Like `openStores`, also for states that were moved elsewhere, to complete a move. */
    readonly openMoving: World["openStores"];
    /** Opens another place, to move states there. Throws `Refusal`. */
    readonly openOther: (address: string) => Promise<StateStores>;
    /** Closes everything that was opened for the states. */
    readonly close: () => Promise<void>;
  };

/** Where the project is, and its environment. */
export interface LocalOptions {
  /** The path of the project file. */
  readonly file: string;
  /** Where relative paths start; the working directory of the process when absent. */
  readonly folder?: string | undefined;
  /**
   * The place of the states: a folder, `postgres://…`, `s3://…` or `https://…`. It wins over the environment's
   * `ZONEFORM_STATE`.
   */
  readonly state?: string | undefined;
  /** The opened place of the states: it wins over any address, and closing the world leaves it open. */
  readonly stores?: StateStores | undefined;
  /** Holds credentials, the endpoint, passphrases and the secrets that the YAML names. */
  readonly env: World["env"];
  /** Receives each secret that is read, so that nothing printed can contain it. */
  readonly learn?: Required<World>["learn"];
  /** Called when the state server does not respond. */
  readonly away?: Away | undefined;
  /** Called for each wait for a lock. */
  readonly lockWaits?: ((wait: LockWait) => void) | undefined;
  /** Receives what to tell the user about a run besides its result. */
  readonly note?: Required<World>["note"];
}

/** Options of the real world. */
export interface WorldOptions extends LocalOptions {
  /** The base URL of the API; the environment's, or the service's own, when absent. */
  readonly apiUrl?: string | undefined;
  /** Whether the command only reads: then it is not one of the runners that share the budget. */
  readonly isReadOnly?: boolean;
  /** Receives waits, retries and lists that stay incomplete. */
  readonly report?: Report;
  /** Receives a line for each request, without its credentials. */
  readonly trace?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Everything outside the process: this machine's disk and clock, and the service over the network. */
export interface RealWorld extends World {
  /** The base URL of the API. */
  readonly endpoint: string;
  /**
   * The service's time, taken from its responses, or the local time before the first response. In milliseconds since the
   * epoch.
   */
  serviceNow(): number;
  /** How many calls were made; undefined before the first one. */
  counts(): ReturnType<ApiClient["counts"]> | undefined;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * Builds the real world; this is the composition root. Throws `Refusal` for bad credentials, a bad endpoint or a bad
 * passphrase.
 */
export function realWorld(options: WorldOptions): RealWorld {
  const endpoint = readEndpoint(options.apiUrl, options.env);
  const credentials = readCredentials(options.env);
  const faults = [endpoint, credentials].flatMap((read: Result<unknown>) => (read.ok ? [] : read.diagnostics));
  if (!endpoint.ok || !credentials.ok) throw new Refusal(faults);
  const { report = () => undefined, note, signal, trace, isReadOnly = false } = options;
  const network = undiciHttp();
  const http = redactRefusals(network, redactionOf(options.env));
  const serviceClock = openServiceClock(trace ? tracingHttp(http, trace) : http, realClock);
  let client: ApiClient | undefined;
  const local = localWorld(options);

  return {
    ...local,
    ...defined({ note }),
    signal,
    endpoint: endpoint.value.url,
    serviceNow: serviceClock.now,
    connect: (budget) => {
      client ??= new ApiClient({
        http: serviceClock.http,
        endpoint: endpoint.value,
        credentials: credentials.value,
        governor: new Governor({ budget: isReadOnly ? undividedBudget(budget) : budget, clock: realClock, report }),
        clock: realClock,
        random: realRandom,
        userAgent: `zoneform/${VERSION}`,
        report,
      });
      return client;
    },
    counts: () => client?.counts(),
    close: async () => {
      await Promise.all([network.close(), local.close()]);
    },
  };
}

const derive = rememberKeys(deriveKey);

/** Builds the part of the real world that needs no service: disk, states, clock. Throws `Refusal` for a bad passphrase. */
export function localWorld({
  file,
  folder,
  state,
  stores: given,
  env,
  learn = () => undefined,
  away,
  lockWaits = () => undefined,
  note = () => undefined,
}: LocalOptions): LocalWorld {
  const sealing = { ...sealingOf(env), random: realRandom };
  const outside = {
    fs: disk("refuse"),
    files: disk(),
    clock: realClock,
    steady: realSteadyClock,
    random: realRandom,
    env,
    identity: identity(),
    user: userName(),
    learn,
    away,
  };
  const where = { file, folder: folder ?? process.cwd() };
  const opener = storesOpener(outside, { ...where, address: state });
  const others: StoresOpener[] = [];
  const sealed = new Map<StateStores, StateStores>();
  const refusing = new Map<StateStores, StateStores>();
  const opened = (stores: StateStores): StateStores => {
    const announcing = announcingWaits(
      sealedStores(stores, {
        ...sealing,
        keyOf: placeKeys(stores, derive, outside),
      }),
      realClock,
      lockWaits,
    );
    return announcingKeptLocks(announcing, note);
  };
  const openMoving: LocalWorld["openMoving"] = async (settings) => {
    const stores = given ?? (await opener.open(settings));
    const known = sealed.get(stores) ?? opened(stores);
    sealed.set(stores, known);
    return known;
  };
  return {
    fs: folder === undefined ? disk() : diskFrom(folder),
    openStores: async (settings) => {
      const stores = await openMoving(settings);
      const known = refusing.get(stores) ?? refusingMoved(stores, outside);
      refusing.set(stores, known);
      return known;
    },
    openMoving,
    openOther: async (address) => {
      const other = storesOpener(outside, { ...where, address, flag: "--to" });
      others.push(other);
      return opened(await other.open({}));
    },
    clock: realClock,
    random: realRandom,
    env,
    learn,
    close: async () => {
      await Promise.all([opener, ...others].map(({ close }) => close()));
    },
  };
}

/** The holder of a lock, to show to a user who waits for it. */
export function lockHolder(env: World["env"], operation: string): Omit<LockHolder, "id"> {
  const { host, pid } = identity();
  const runUrl = runUrlOf(env);
  return {
    who: `${userName()}@${host}`,
    processId: pid,
    operation,
    since: new Date(realClock.now()).toISOString(),
    ...defined({ runUrl }),
  };
}

/** The page of the CI run, if the environment names one: GitHub's three variables, or GitLab's one. */
export function runUrlOf(env: World["env"]): string | undefined {
  const [server, repository, run] = [env["GITHUB_SERVER_URL"], env["GITHUB_REPOSITORY"], env["GITHUB_RUN_ID"]];
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : env["CI_JOB_URL"];
}

/**
 * The address of a line of the commit that the CI run checked out, if the environment names it: GitHub's three variables,
 * or GitLab's two. `path` is relative to the root of the repository.
 */
export function lineUrlOf(env: World["env"], path: string, line: number): string | undefined {
  const [server, repository, commit] = [env["GITHUB_SERVER_URL"], env["GITHUB_REPOSITORY"], env["GITHUB_SHA"]];
  const [project, gitlabCommit] = [env["CI_PROJECT_URL"], env["CI_COMMIT_SHA"]];
  const escaped = path.split("/").map(encodeURIComponent).join("/");
  if (server && repository && commit) return `${server}/${repository}/blob/${commit}/${escaped}#L${line}`;
  return project && gitlabCommit ? `${project}/-/blob/${gitlabCommit}/${escaped}#L${line}` : undefined;
}
