import { HttpFailure, type HttpFailureReason } from "./http.ts";

/** Node and undici identify failures by `code`. The cause's text names host and port, never a header. */
const REASONS: Readonly<Record<string, HttpFailureReason>> = {
  ENOTFOUND: "name",
  EAI_AGAIN: "name",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ECONNRESET: "cut",
  EPIPE: "cut",
  UND_ERR_SOCKET: "cut",
};

/** Classifies a network failure; `sent` is whether a byte of the request was written. */
export function networkFailure(cause: Error, sent: boolean): HttpFailure {
  if (cause instanceof HttpFailure) return cause;
  const code = codeOf(cause);
  const reason = (code === undefined ? undefined : REASONS[code]) ?? (isTls(code) ? "tls" : "other");
  return new HttpFailure(cause.message || code || cause.name, sent, { cause, reason });
}

/** Connecting to several addresses of one name fails with an `AggregateError` that holds the codes. */
function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  return cause instanceof AggregateError ? codeOf(cause.errors[0]) : undefined;
}

function isTls(code: string | undefined): boolean {
  return code !== undefined && /^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_|_SIGNED_|^EPROTO$|^HOSTNAME_MISMATCH$/.test(code);
}
