import { createHash, timingSafeEqual } from "node:crypto";
import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { ADMIN_PREFIX, isBelow } from "./answer.ts";

/** Addresses that only this machine can reach: 127.0.0.0/8 and ::1. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Thrown for an address that other machines could reach. The message begins with the address. */
export class NotLoopbackError extends Error {
  constructor(host: string) {
    super(
      `${JSON.stringify(host)} is not a loopback address: other machines could reach the admin API, which has no password`,
    );
    this.name = "NotLoopbackError";
  }
}

/** The loopback address of a host. Throws a NotLoopbackError for a host with any other address. */
export async function loopbackAddress(host: string): Promise<string> {
  const address = host.toLowerCase() === "localhost" ? (await lookup(host)).address : host;
  if (isLoopback(address)) return address;
  throw new NotLoopbackError(host);
}

/**
 * Why to refuse a request, or undefined to answer it. A web page can call this machine by a domain name whose DNS record
 * points here (DNS rebinding). Such a request has that name as `Host` and the page's origin as `Origin`, so both must be
 * ours. `isOpen`: other machines may call this emulator, see `isOpenHost`.
 */
export function hostProblem({ headers, url = "/", socket }: IncomingMessage, isOpen: boolean): string | undefined {
  const port = socket.localPort ?? 0;
  const { host = "", origin } = headers;
  const target = /^\w+:\/\/([^/]*)/.exec(url)?.[1];
  const isOurs = (authority: string): boolean => (isOpen ? isOpenHost(authority) : isLoopbackHost(authority, port));
  if (!isOurs(host) || (target !== undefined && !isOurs(target)))
    return isOpen
      ? "the Host header has to be an IP address, or a name without a dot: call the emulator by one of these"
      : `the Host header has to be a loopback address with port ${port}: this emulator is for this machine only`;
  if (origin !== undefined && !(isOpen ? origin === `http://${host}` : isOurOrigin(origin, port)))
    return "the Origin header is not this emulator: web pages from elsewhere may not call it";
  return undefined;
}

/**
 * An IP address, or a name without a dot: DNS rebinding needs a domain name, and such a name has a dot. Any port will do, because
 * Docker may publish another one than ours.
 */
function isOpenHost(authority: string): boolean {
  const { name } = splitAuthority(authority);
  return isIP(name) !== 0 || /^[a-z0-9_-]+$/i.test(name);
}

/** Whether `name:port` is this machine with our port. Without a port it is 80, as in HTTP. */
function isLoopbackHost(authority: string, port: number): boolean {
  const { name, given } = splitAuthority(authority);
  return given === port && (name.toLowerCase() === "localhost" || isLoopback(name));
}

function isOurOrigin(origin: string, port: number): boolean {
  return origin.startsWith("http://") && isLoopbackHost(origin.slice("http://".length), port);
}

function splitAuthority(authority: string): { readonly name: string; readonly given: number } {
  const [, name = "", given = "80"] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(authority) ?? [];
  return { name: name.replace(/^\[|\]$/g, ""), given: Number(given) };
}

function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** The header with the admin token. */
const TOKEN_HEADER = "x-emulator-token";

/** Headers of an ordinary request that do what the admin API does. */
const ADMIN_HEADERS = ["x-emulator-advance", "x-emulator-fault"];

/** Why to refuse a request to the admin API, or undefined to answer it. Without a configured token the admin API is open. */
export function adminProblem({ headers, url = "/" }: IncomingMessage, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  const isAdmin = isBelow(pathOf(url), ADMIN_PREFIX) || ADMIN_HEADERS.some((name) => headers[name] !== undefined);
  const given = headers[TOKEN_HEADER];
  if (!isAdmin || (typeof given === "string" && isSame(given, token))) return undefined;
  return "the admin API of this emulator needs the header X-Emulator-Token with the value of ZONEFORM_EMULATOR_TOKEN";
}

/** The path of a request target, which may be a whole URL. */
function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?]*/, "").split("?", 1)[0] ?? "";
}

/** Takes as long for a wrong token as for the right one. */
function isSame(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
