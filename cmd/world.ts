import { randomBytes, randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock, Random } from "../lib/core/clock.ts";
import { Refusal, type Result } from "../lib/core/diagnostic.ts";
import type { World } from "../lib/engine/world.ts";
import { escape } from "../lib/report/escape/terminal.ts";
import { createClient, type CountingClient } from "../lib/service/api-client.ts";
import { readCredentials } from "../lib/service/credentials.ts";
import { readEndpoint } from "../lib/service/endpoint.ts";
import { openGovernor } from "../lib/service/governor.ts";
import { openServiceClock } from "../lib/service/service-clock.ts";
import { tracingHttp } from "../lib/service/tracing-http.ts";
import type { Report } from "../lib/service/service-event.ts";
import { undiciHttp } from "../lib/service/undici-http.ts";
import type { LockHolder } from "../lib/state/store.ts";
import { localStore } from "../lib/state/local/store.ts";
import { keyOfPassphrase } from "../lib/state/sealed/cipher.ts";
import { sealedStore } from "../lib/state/sealed/store.ts";
import { type Context, print, type ServiceFlags } from "./context.ts";
import { announcer, noter } from "./announce.ts";
import { disk } from "./disk.ts";
import { identity, userName } from "./identity.ts";
import { sealingOf } from "./sealing.ts";
import { VERSION } from "./version.ts";

/** The folder beside the project file in which states are kept. */
const STATE_FOLDER = ".zoneform";

/** The real clock. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: async (delayMilliseconds, signal) => {
    await delay(delayMilliseconds, undefined, signal ? { signal } : {}).catch((cause: unknown) => {
      throw signal?.aborted ? signal.reason : cause;
    });
  },
};

/** Real randomness. */
export const realRandom: Random = {
  fraction: () => Math.random(),
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
};

/** The world of a command that calls the service. */
export interface ServiceWorld extends World {
  readonly endpoint: string;
  /** The service's time, by its answers so far; ours before the first. */
  serviceNow(): number;
  /** How many calls were made; zeros before the first. */
  counts(): ReturnType<CountingClient["counts"]> | undefined;
  close(): Promise<void>;
}

/** Builds the real world from flags and environment: the composition root. Throws `Refusal` for bad credentials or a bad endpoint. */
export function openWorld(
  context: Context,
  flags: ServiceFlags,
  report: Report = announcer(context, realClock),
): ServiceWorld {
  const endpoint = readEndpoint(flags.apiUrl, context.env);
  const credentials = readCredentials(context.env);
  const faults = [endpoint, credentials].flatMap((read: Result<unknown>) => (read.ok ? [] : read.diagnostics));
  if (!endpoint.ok || !credentials.ok) throw new Refusal(faults);
  const network = undiciHttp();
  const http = flags.debug ? tracingHttp(network, (line) => print(context.stderr, escape(line))) : network;
  const serviceClock = openServiceClock(http, realClock);
  let client: CountingClient | undefined;
  return {
    ...localWorld(context, flags),
    note: noter(context, flags),
    signal: context.signal,
    endpoint: endpoint.value.url,
    serviceNow: serviceClock.now,
    connect: (budget) => {
      client ??= createClient({
        http: serviceClock.http,
        endpoint: endpoint.value,
        credentials: credentials.value,
        governor: openGovernor({ budget, clock: realClock, report }),
        clock: realClock,
        random: realRandom,
        userAgent: `zoneform/${VERSION}`,
        report,
      });
      return client;
    },
    counts: () => client?.counts(),
    close: () => network.close(),
  };
}

/** The part of the world that needs no service: disk, states, clock. */
export function localWorld(
  context: Context,
  flags: Pick<ServiceFlags, "config">,
): Pick<World, "fs" | "store" | "clock" | "random" | "env" | "learn"> {
  const folder = join(dirname(resolve(context.cwd, flags.config)), STATE_FOLDER);
  const store = localStore(disk("refuse"), folder, { identity: identity(), clock: realClock, random: realRandom });
  return {
    fs: disk(),
    store: sealedStore(store, { ...sealingOf(context.env), random: realRandom, keyOf: keyOfPassphrase }),
    clock: realClock,
    random: realRandom,
    env: context.env,
    learn: (secret) => context.redaction.learn(secret),
  };
}

/** Who takes a lock, for whoever meets it. */
export function lockHolder({ env }: Context, operation: string): Omit<LockHolder, "id"> {
  const { host, pid } = identity();
  const runUrl = runUrlOf(env);
  return {
    who: `${userName()}@${host}`,
    processId: pid,
    operation,
    since: new Date(realClock.now()).toISOString(),
    ...(runUrl === undefined ? {} : { runUrl }),
  };
}

/** The page of the CI run, where the environment names one: GitHub's three variables, or GitLab's one. */
export function runUrlOf(env: Context["env"]): string | undefined {
  const [server, repository, run] = [env["GITHUB_SERVER_URL"], env["GITHUB_REPOSITORY"], env["GITHUB_RUN_ID"]];
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : env["CI_JOB_URL"];
}
