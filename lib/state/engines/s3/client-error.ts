import { Refusal } from "../../../core/diagnostic.ts";
import type { StateError } from "../../error.ts";
import { isNotHttp, isNotTls, wrongProtocol } from "../address.ts";
import { BucketLost, BucketRefused, WEB_PAGE } from "./bucket.ts";

/** The server that a request goes to. */
export interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
}

/** Answers that mean "not now". */
const PASSING_CODES: readonly string[] = [
  "ConditionalRequestConflict",
  "OperationAborted",
  "RequestTimeout",
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
];

/** An error of the library as one of ours. */
export function toldAs(error: unknown, target: Target | undefined): unknown {
  if (!(error instanceof Error) || error instanceof Refusal || error instanceof RangeError) return error;
  if (error instanceof BucketRefused) return error;
  const status = statusOf(error);
  const { name: code, message } = error;
  if (code === "CredentialsProviderError" || code === "TokenProviderError")
    return new BucketRefused("CredentialsProviderError", 0, message, error);
  if (status === undefined) return otherProtocol(error, target) ?? lost(error, target);
  if (status === 408 || status === 429 || status >= 500 || PASSING_CODES.includes(code))
    return status === 501 ? new BucketRefused("NotImplemented", status, message, error) : lost(error, target);
  if (isPageIn(error)) return new BucketRefused(WEB_PAGE, status, message, error);
  if (status === 301 || status === 307) return new BucketRefused("PermanentRedirect", status, message, error);
  return new BucketRefused(code, status, message, error);
}

/** The reason of a request that took too long. */
const LATE = "the server did not answer in time";

/** A request that was given up, because it took too long. */
export function late(cause: unknown, target: Target | undefined): BucketLost {
  return new BucketLost(LATE, cause, target && nameOf(target));
}

/** What another protocol than the expected one on this port is; undefined for every other error. */
function otherProtocol(error: Error, target: Target | undefined): StateError | undefined {
  if (!target) return undefined;
  if (isNotTls(error)) {
    const remedy = "correct the host and the port of the endpoint; only on this machine http:// may be right";
    return wrongProtocol(nameOf(target), "does not speak TLS, and the endpoint is https://", remedy, error);
  }
  if (!isNotHttp(error)) return undefined;
  const remedy = "correct the host and the port of the endpoint, or write it with https:// if that port speaks TLS";
  return wrongProtocol(nameOf(target), "does not answer with HTTP, so it is no S3 server", remedy, error);
}

function lost(error: Error, target: Target | undefined): BucketLost {
  if (error.name === "TimeoutError") return late(error, target);
  // An error of the network often has its reason in its cause, and an empty message.
  const reason = error.message || codeOf(error) || error.name;
  return new BucketLost(reason, error, target && nameOf(target));
}

/** Whether the answer of an error is a page for people: S3 answers with XML. */
function isPageIn(error: Error): boolean {
  const response: unknown = "$response" in error && error.$response;
  return /^text\/html\b/i.test(headerIn(response, "content-type"));
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function statusOf(error: Error): number | undefined {
  const metadata: unknown = "$metadata" in error && error.$metadata;
  if (typeof metadata !== "object" || metadata === null || !("httpStatusCode" in metadata)) return undefined;
  return typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}

/** The host, with its port if it is not the usual one. */
function nameOf({ hostname, port }: Target): string {
  return port === undefined ? hostname : `${hostname}:${port}`;
}

/** A header of an answer as the library gives it; empty if it has none. */
export function headerIn(response: unknown, name: string): string {
  const headers: unknown =
    typeof response === "object" && response !== null && "headers" in response && response.headers;
  const value: unknown = typeof headers === "object" && headers !== null && Reflect.get(headers, name);
  return typeof value === "string" ? value : "";
}
