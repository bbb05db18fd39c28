import { placeError, type StateError } from "../error.ts";

/** Decodes a percent-encoded part of an address. `fault` makes the error for an address that cannot be used. */
export function decodedPart(text: string, fault: (what: string) => Error): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fault("a part of it has a % that is no percent-encoding; write a % as %25");
  }
}

/** The parameters after the `?` of an address, in order. Unknown names are faults. */
export function parametersIn<Name extends string>(
  query: string,
  names: readonly Name[],
  fault: (what: string) => Error,
): readonly (readonly [Name, string])[] {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [text = "", value = ""] = pair.split(/=(.*)/s, 2);
      const name = names.find((each) => each === text);
      if (name === undefined)
        throw fault(
          `it has a parameter that is not known: ${JSON.stringify(text.slice(0, 40))}; known are ${names.join(", ")}`,
        );
      return [name, decodedPart(value, fault)];
    });
}

/** Whether a URL would send data unencrypted over a network: `http://` to another machine. */
export function isExposed({ protocol, hostname }: { readonly protocol: string; readonly hostname: string }): boolean {
  return protocol === "http:" && !/^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/.test(hostname);
}

/** The error for such an endpoint, to which nothing is sent. `from` says where it was found. */
export function exposedEndpoint(from: string): StateError {
  return placeError({
    code: "state-address",
    message: `${from} is http:// to another machine, which would send the states unencrypted`,
    remedy: "write it with https://; http:// is only for a server on this machine",
  });
}

/** What OpenSSL and Node report if the other side does not speak TLS. */
const NOT_TLS: readonly string[] = [
  "EPROTO",
  "ERR_SSL_HTTP_REQUEST",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_WRONG_VERSION_NUMBER",
];

/** Whether TLS failed because the other side speaks something else. */
export function isNotTls(thrown: unknown): boolean {
  const code = codeOf(thrown);
  // A server that speaks TLS sends an alert, which has another text.
  if (code === "EPROTO") return /wrong version number|packet length too long|http request/i.test(messageOf(thrown));
  return NOT_TLS.includes(code) || (thrown instanceof Error && thrown.cause !== undefined && isNotTls(thrown.cause));
}

/** Whether the response cannot be read as HTTP. */
export function isNotHttp(thrown: unknown): boolean {
  return codeOf(thrown).startsWith("HPE_");
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "";
}

/** The reason of a failure, without the OpenSSL source lines that Node repeats. */
export function withoutOpenssl(reason: string): string {
  const found = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/i.exec(reason);
  return found ? `TLS failed: ${found[1] ?? ""}` : reason;
}

/** Something else listens there. Waiting would not help. */
export function wrongProtocol(server: string, what: string, remedy: string, cause: unknown): StateError {
  return placeError(
    { code: "state-address", message: `the address of the state cannot be used: ${server} ${what}`, remedy },
    { cause },
  );
}
