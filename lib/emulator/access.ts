import { createHash, timingSafeEqual } from "node:crypto";
import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { ADMIN_PREFIX, isBelow } from "./answer.ts";

/** Addresses that only this machine reaches: 127.0.0.0/8 and ::1. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** An address to listen on that other machines could reach. The message begins with it. */
export class NotLoopbackError extends Error {
  constructor(host: string) {
    super(
      `${JSON.stringify(host)} is not a loopback address: other machines could reach the admin API, which has no password`,
    );
    this.name = "NotLoopbackError";
  }
}

/** The loopback address that a host stands for. Throws a NotLoopbackError for every other one. */
export async function loopbackAddress(host: string): Promise<string> {
  const address = host.toLowerCase() === "localhost" ? (await lookup(host)).address : host;
  if (isLoopback(address)) return address;
  throw new NotLoopbackError(host);
}

/**
 * Why a request is refused, in words; undefined where it is answered. A web page can reach this machine under a name of its
 * own that its DNS points here. Such a request carries that name as `Host`, and the page's origin as `Origin`, so both have
 * to be ours. `isOpen` is for an emulator that other machines may reach: see `isOpenHost`.
 */
export function foreignness({ headers, url = "/", socket }: IncomingMessage, isOpen: boolean): string | undefined {
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

/** A name that a web page can point here always has a dot, and an address needs no DNS. The port is whatever was published. */
function isOpenHost(authority: string): boolean {
  const { name } = parted(authority);
  return isIP(name) !== 0 || /^[a-z0-9_-]+$/i.test(name);
}

/** Whether `name:port` is this machine with our port; the port may be left out where it is that of HTTP. */
function isLoopbackHost(authority: string, port: number): boolean {
  const { name, given } = parted(authority);
  return given === port && (name.toLowerCase() === "localhost" || isLoopback(name));
}

function isOurOrigin(origin: string, port: number): boolean {
  return origin.startsWith("http://") && isLoopbackHost(origin.slice("http://".length), port);
}

function parted(authority: string): { readonly name: string; readonly given: number } {
  const [, name = "", given = "80"] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(authority) ?? [];
  return { name: name.replace(/^\[|\]$/g, ""), given: Number(given) };
}

function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** The header that brings the admin token. */
const TOKEN_HEADER = "x-emulator-token";

/** Headers that do what the admin API does. */
const ADMIN_HEADERS = ["x-emulator-advance", "x-emulator-fault"];

/** Why a request may not use the admin API, in words; undefined where it may, or does not. Without a token everybody may. */
export function unauthorised({ headers, url = "/" }: IncomingMessage, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  const isAdmin = isBelow(pathOf(url), ADMIN_PREFIX) || ADMIN_HEADERS.some((name) => headers[name] !== undefined);
  const given = headers[TOKEN_HEADER];
  if (!isAdmin || (typeof given === "string" && isSame(given, token))) return undefined;
  return "the admin API of this emulator needs the header X-Emulator-Token with the value of ZONEFORM_EMULATOR_TOKEN";
}

/** The path of a target, which may be a whole URL. */
function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?]*/, "").split("?", 1)[0] ?? "";
}

/** Takes as long for a wrong token as for the right one. */
function isSame(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
