import { type StateError, placeError } from "./error.ts";

/** What OpenSSL and Node say where the other side does not answer the beginning of TLS with TLS. */
const NOT_TLS: readonly string[] = [
  "EPROTO",
  "ERR_SSL_HTTP_REQUEST",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_WRONG_VERSION_NUMBER",
];

/** Whether TLS failed because the other side speaks something else. */
export function isNotTls(thrown: unknown): boolean {
  const code = codeOf(thrown);
  // One that speaks TLS answers with an alert, which has another text.
  if (code === "EPROTO") return /wrong version number|packet length too long|http request/i.test(messageOf(thrown));
  return NOT_TLS.includes(code) || (thrown instanceof Error && thrown.cause !== undefined && isNotTls(thrown.cause));
}

/** Whether the answer cannot be read as HTTP. */
export function isNotHttp(thrown: unknown): boolean {
  return codeOf(thrown).startsWith("HPE_");
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "";
}

/** The reason of a failure, without the lines of OpenSSL's sources that Node repeats. */
export function withoutOpenssl(reason: string): string {
  const found = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/i.exec(reason);
  return found ? `TLS failed: ${found[1] ?? ""}` : reason;
}

/** Something answers there, and it will not be different in a minute. */
export function wrongProtocol(server: string, what: string, remedy: string, cause: unknown): StateError {
  return placeError(
    { code: "state-address", message: `the address of the state cannot be used: ${server} ${what}`, remedy },
    { cause },
  );
}
