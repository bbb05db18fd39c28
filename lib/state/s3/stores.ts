import type { ZoneId } from "../../core/brand.ts";
import type { Clock, Random, SteadyClock } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import type { Secret } from "../../core/secret.ts";
import type { StateStores } from "../stores.ts";
import type { ProjectStore } from "../upkeep.ts";
import { type Address, formatAddress, parseAddress } from "./address.ts";
import type { Bucket } from "./bucket.ts";
import { s3Claims } from "./claims.ts";
import { clientBucket } from "./client.ts";
import { journals } from "./journal.ts";
import { locks } from "./lock.ts";
import { observationObjects } from "./observations.ts";
import type { Away } from "../outage.ts";
import { PATIENCE_MILLISECONDS } from "./patience.ts";
import type { Place } from "./place.ts";
import { recordObjects } from "./records.ts";
import { snapshots } from "./snapshot.ts";
import { keptProjects, upkeep } from "./upkeep.ts";
import { checkWritable } from "./writable.ts";

/** What states in a bucket need besides the bucket. */
export interface S3Options {
  readonly clock: Clock;
  /** The lock is a matter of durations, so its clock is one that nobody sets. */
  readonly steady: SteadyClock;
  readonly random: Random;
  /** How long a run waits for a server that is gone, in milliseconds. */
  readonly patienceMilliseconds?: number;
  readonly away?: Away | undefined;
  /** The server is known to keep the promises of conditional writes, so it is not probed. */
  readonly isTrusted?: boolean;
}

/** What states on S3 need besides their address. */
export interface S3StoresOptions extends S3Options {
  /** AWS's environment, which completes the address. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The bucket and the prefix that the project file names. */
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  /** Is told each secret, so that nothing that is printed can hold it. */
  readonly learn?: ((secret: Secret) => void) | undefined;
  /** Is given the host to which the client sends, before it sends anything; throws for one that is not expected. */
  readonly checkHost?: ((host: string) => void) | undefined;
}

/**
 * The states of projects on S3, or a server that is compatible with it. It connects at the first use. Throws `StateError`
 * for an address that cannot be used.
 */
export function s3Stores(address: string, options: S3StoresOptions): StateStores {
  const { env, bucket, key, learn = () => undefined, checkHost } = options;
  const parsed = parseAddress(address, defined({ bucket, key }));
  const where = `s3://${parsed.bucket}${parsed.prefix === "" ? "" : `/${parsed.prefix.slice(0, -1)}`}`;
  const stores = bucketStores(
    clientBucket(parsed, { env, learn, checkHost, steady: options.steady }),
    parsed.prefix,
    where,
    options,
  );
  return { ...stores, describe: () => formatAddress(completed(parsed, env)) };
}

/** What the environment adds to an address. An endpoint that may hold a password is left out. */
function completed(address: Address, env: S3StoresOptions["env"]): Address {
  const region = address.region ?? (env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || undefined);
  const endpoint = address.endpoint ?? (env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || undefined);
  return { ...address, region, endpoint: endpoint !== undefined && /[@?#]/.test(endpoint) ? undefined : endpoint };
}

/** The states of projects below a prefix of a bucket: empty, or ending in a slash. `where` is for messages. */
export function bucketStores(bucket: Bucket, prefix: string, where: string, options: S3Options): StateStores {
  const { clock, steady, random, away, patienceMilliseconds = PATIENCE_MILLISECONDS, isTrusted = false } = options;
  const place: Place = {
    bucket,
    prefix,
    where,
    clock,
    steady,
    random,
    patienceMilliseconds,
    away,
    known: { wasReached: false, isTrusted, hasGivenUp: false },
    sessions: new Map(),
  };
  return {
    of: (project) => projectStore(place, project),
    projects: () => keptProjects(place),
    claims: s3Claims(place),
    describe: () => where,
    close: async () => {
      for (const session of place.sessions.values()) session.abandon();
      place.sessions.clear();
      bucket.close();
    },
  };
}

function projectStore(place: Place, project: string): ProjectStore {
  const describe = (zone: ZoneId, part: "state" | "journal" = "state"): string =>
    `${place.where}/${project}/${zone}.${part}`;
  const journal = journals(place, project);
  return {
    ...locks(place, project),
    ...snapshots(place, project),
    ...journal,
    ...recordObjects(place, project),
    ...observationObjects(place, project),
    ...upkeep(place, project, journal, describe),
    checkWritable: (zone) => checkWritable(place, project, zone),
    describe,
  };
}
