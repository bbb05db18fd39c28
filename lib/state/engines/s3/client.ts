import { problem } from "../../../core/diagnostic.ts";
import type * as S3 from "@aws-sdk/client-s3";
import type { GetObjectCommandOutput, S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import type { SteadyClock } from "../../../core/clock.ts";
import { Secret } from "../../../core/secret.ts";
import { placeError } from "../../error.ts";
import { exposedEndpoint, isExposed } from "../address.ts";
import type { Address } from "./address.ts";
import { type Bucket, BucketRefused, type Found, WEB_PAGE } from "./bucket.ts";
import { bucketError, headerIn, type Target } from "./failure.ts";

/** If a server does not accept the connection within this time, it is not there. */
const CONNECT_MILLISECONDS = 5000;

/**
 * How long a connection may be silent before its request is given up, however much is still to be sent. A holder that
 * waits longer for a renewal is about to lose its lock.
 */
const SILENT_MILLISECONDS = 12_000;

/** Options of `clientBucket`. */
export interface ClientOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with each secret of the credentials, so that the output filter can mask it. */
  readonly learn: (secret: Secret) => void;
  /** Called with the host of each request, without the bucket, before it is sent; throws for an unexpected host. */
  readonly checkHost?: ((host: string) => void) | undefined;
  readonly steady: Pick<SteadyClock, "now">;
  /** How long a connection may be silent. */
  readonly silentMilliseconds?: number;
}

/** The bucket of an address. It loads the library and asks for credentials at the first request. */
export function clientBucket(address: Address, options: ClientOptions): Bucket {
  return new ClientBucket(address, options);
}

class ClientBucket implements Bucket {
  readonly #address: Address;
  readonly #options: ClientOptions;
  #opening: Promise<Opened> | undefined;
  /** The target of the last request. */
  #sentTo: Target | undefined;
  /** The time of the last response, by the server's clock and by ours. */
  #answered: { readonly served: number; readonly at: number } | undefined;
  /** Some servers compare the tag without its quotes. */
  #areTagsBare = false;

  constructor(address: Address, options: ClientOptions) {
    this.#address = address;
    this.#options = options;
  }

  get(key: string, signal?: AbortSignal): Promise<Found | undefined> {
    const found = this.#send(signal, async ({ library, client }, sending) => {
      let served: number | undefined;
      const command = new library.GetObjectCommand({ Bucket: this.#address.bucket, Key: key });
      command.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args);
          served = dateIn(result.response);
          if (served !== undefined) this.#answered = { served, at: this.#options.steady.now() };
          return result;
        },
        { step: "deserialize", name: "zoneformDate", priority: "high" },
      );
      const output = await client.send(command, sending);
      const bytes = (await output.Body?.transformToByteArray()) ?? new Uint8Array();
      if (isPage(bytes)) throw new BucketRefused(WEB_PAGE, 200, "the answer is a web page");
      return { bytes, tag: bare(output.ETag ?? ""), ageMilliseconds: ageOf(output, served) };
    });
    return unlessRefused(found, isMissing);
  }

  create(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<string | undefined> {
    return this.#put(key, bytes, { IfNoneMatch: "*" }, signal);
  }

  async replace(key: string, tag: string, bytes: Uint8Array, signal?: AbortSignal): Promise<string | undefined> {
    const made = await this.#put(key, bytes, { IfMatch: this.#areTagsBare ? tag : `"${tag}"` }, signal);
    if (made !== undefined || this.#areTagsBare) return made;
    // No two versions have the same tag, so this is still the version to replace.
    if ((await this.get(key, signal))?.tag !== tag) return undefined;
    const second = await this.#put(key, bytes, { IfMatch: tag }, signal);
    this.#areTagsBare = second !== undefined;
    return second;
  }

  async remove(key: string, signal?: AbortSignal): Promise<void> {
    const sent = this.#send(signal, async ({ library, client }, sending) => {
      await client.send(new library.DeleteObjectCommand({ Bucket: this.#address.bucket, Key: key }), sending);
    });
    // Some servers answer so if there is nothing left to delete.
    return unlessRefused(sent, isMissing);
  }

  now(): number | undefined {
    return this.#answered && this.#answered.served + this.#options.steady.now() - this.#answered.at;
  }

  close(): void {
    this.#opening?.then(({ client }) => client.destroy()).catch(() => undefined);
  }

  #put(
    key: string,
    bytes: Uint8Array,
    condition: { readonly IfNoneMatch: "*" } | { readonly IfMatch: string },
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const made = this.#send(signal, async ({ library, client }, sending) => {
      const { bucket: Bucket } = this.#address;
      const command = new library.PutObjectCommand({ Bucket, Key: key, Body: bytes, ...condition });
      return bare((await client.send(command, sending)).ETag ?? "");
    });
    // Some servers report a missing version if the whole object is missing.
    return unlessRefused(made, (refused) => refused.status === 412 || isMissing(refused));
  }

  /** Sends a request. Turns what the library throws into one of our errors, or the signal's reason. */
  async #send<T>(
    signal: AbortSignal | undefined,
    act: (opened: Opened, sending: { readonly abortSignal?: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const opened = await this.#ready();
    try {
      return await act(opened, signal ? { abortSignal: signal } : {});
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw bucketError(error, this.#sentTo);
    }
  }

  /** The client, once its region is known and its credentials are known to the output filter. */
  async #ready(): Promise<Opened> {
    this.#opening ??= openClient(this.#address, this.#options, (target) => {
      this.#sentTo = target;
    });
    const opened = await this.#opening;
    const { config } = opened.client;
    try {
      await config.region();
    } catch (error) {
      throw new BucketRefused("MissingRegion", 0, "no region", error);
    }
    try {
      const { secretAccessKey, sessionToken } = await config.credentials();
      for (const text of [secretAccessKey, sessionToken ?? ""]) if (text !== "") this.#options.learn(new Secret(text));
    } catch (error) {
      throw bucketError(error, this.#sentTo);
    }
    return opened;
  }
}

function isMissing({ code }: BucketRefused): boolean {
  return code === "NoSuchKey";
}

/** The result of a request; undefined if the server refuses it for this reason. */
async function unlessRefused<T>(
  sent: Promise<T>,
  isReason: (refused: BucketRefused) => boolean,
): Promise<T | undefined> {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof BucketRefused && isReason(error)) return undefined;
    throw error;
  }
}

type Library = typeof S3;

interface Opened {
  readonly library: Library;
  readonly client: S3Client;
}

/** The library completes an address in many ways, including profile files, so only its requests show where they go. */
async function openClient(
  { bucket, endpoint, region, isPathStyle }: Address,
  { env, checkHost, silentMilliseconds = SILENT_MILLISECONDS }: ClientOptions,
  watch: (target: Target) => void,
): Promise<Opened> {
  const library = await loadLibrary();
  const ownEndpoint = endpoint ?? env["AWS_ENDPOINT_URL_S3"] ?? env["AWS_ENDPOINT_URL"];
  const configuration: S3ClientConfig = {
    // Only our own loop retries: it knows what a repeated write may find.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_MILLISECONDS, socketTimeout: silentMilliseconds },
    // Compatible servers often know no checksum but the one of the signature.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    // A server at its own name or IP address rarely has a name for each bucket too.
    forcePathStyle: isPathStyle ?? Boolean(ownEndpoint),
  };
  const client = withoutWarning(() => new library.S3Client(configuration));
  client.middlewareStack.add(
    (next) => async (args) => {
      const target = targetOf(args.request);
      if (target && isExposed(target)) throw exposedEndpoint("the endpoint of AWS's environment or profile");
      if (target) watch(target);
      checkHost?.(hostOf(target, configuration.forcePathStyle === true ? "" : bucket));
      return next(args);
    },
    { step: "finalizeRequest", name: "zoneformTarget", priority: "low" },
  );
  return { library, client };
}

/** The host of a request, without the bucket in front. */
function hostOf(target: Target | undefined, bucket: string): string {
  const host = target?.hostname ?? "";
  return bucket !== "" && host.startsWith(`${bucket}.`) ? host.slice(bucket.length + 1) : host;
}

function targetOf(request: unknown): Target | undefined {
  if (typeof request !== "object" || request === null || !("hostname" in request) || !("protocol" in request))
    return undefined;
  const { hostname, protocol } = request;
  if (typeof hostname !== "string" || typeof protocol !== "string") return undefined;
  const port = "port" in request && typeof request.port === "number" ? request.port : undefined;
  return { hostname, protocol, ...(port === undefined ? {} : { port }) };
}

/** No object that Zoneform stores begins like a web page. */
function isPage(bytes: Uint8Array): boolean {
  return /^\s*<(!doctype|html|head|body)\b/i.test(Buffer.from(bytes.subarray(0, 200)).toString("latin1"));
}

/** The library warns about Node 20 once in a process, and the user of Zoneform cannot do anything about it. */
function withoutWarning<T>(make: () => T): T {
  const name = "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED";
  const before = process.env[name];
  process.env[name] = "true";
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

async function loadLibrary(): Promise<Library> {
  try {
    return await import("@aws-sdk/client-s3");
  } catch (cause) {
    throw placeError(problem("state-driver", { server: "S3", package: "@aws-sdk/client-s3" }), { cause });
  }
}

function bare(tag: string): string {
  return tag.replace(/^(?:W\/)?"(.*)"$/, "$1");
}

/** The age of the object by the server's own clock, which gives both times in whole seconds. */
function ageOf({ LastModified }: GetObjectCommandOutput, served: number | undefined): number | undefined {
  return LastModified === undefined || served === undefined ? undefined : Math.max(0, served - LastModified.getTime());
}

function dateIn(response: unknown): number | undefined {
  const time = Date.parse(headerIn(response, "date"));
  return Number.isNaN(time) ? undefined : time;
}
