import { defined } from "../../../core/defined.ts";
import type { Secret } from "../../../core/secret.ts";
import type { StateStores } from "../../stores.ts";
import { zoneStores } from "../../zone/stores.ts";
import { type Address, formatAddress, parseAddress } from "./address.ts";
import type { Bucket } from "./bucket.ts";
import { clientBucket } from "./client.ts";
import { bucketEngine, type S3Options } from "./engine.ts";

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
  const client = clientBucket(parsed, { env, learn, checkHost, steady: options.steady });
  const server = formatAddress(completed(parsed, env));
  return { ...bucketStores(client, parsed.prefix, where, { ...options, server }), describe: () => server };
}

/** What the environment adds to an address. An endpoint that may hold a password is left out. */
function completed(address: Address, env: S3StoresOptions["env"]): Address {
  const region = address.region ?? (env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || undefined);
  const endpoint = address.endpoint ?? (env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || undefined);
  return { ...address, region, endpoint: endpoint !== undefined && /[@?#]/.test(endpoint) ? undefined : endpoint };
}

/** The states of projects below a prefix of a bucket; the parameters are those of `bucketEngine`. */
export function bucketStores(bucket: Bucket, prefix: string, where: string, options: S3Options): StateStores {
  return zoneStores(bucketEngine(bucket, prefix, where, options), options);
}
