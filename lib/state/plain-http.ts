import { type StateError, placeError } from "./error.ts";

/** Whether a URL would send what it is given unencrypted over a network: `http://` to another machine. */
export function isExposed({ protocol, hostname }: { readonly protocol: string; readonly hostname: string }): boolean {
  return protocol === "http:" && !/^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/.test(hostname);
}

/** Nothing is sent to such an endpoint. `from` says where it was found. */
export function exposedEndpoint(from: string): StateError {
  return placeError({
    code: "state-address",
    message: `${from} is http:// to another machine, which would send the states unencrypted`,
    remedy: "write it with https://; http:// is only for a server on this machine",
  });
}
