import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** What only this machine reaches: 127.0.0.0/8 and ::1. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** A host to listen on that others could reach. The message begins with the host. */
export class NotLoopbackError extends Error {
  constructor(host: string) {
    super(
      `${JSON.stringify(host)} is no loopback address, and the emulator listens on loopback only: its admin API asks for no credentials`,
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
 * Why a request is refused, in words; undefined where it is answered. A name that somebody else's DNS leads to this
 * machine comes in by loopback as well, so the `Host` has to be loopback with our port, and the `Origin`, which a browser
 * sends for a page, the same.
 */
export function foreignness({ headers, url = "/", socket }: IncomingMessage): string | undefined {
  const port = socket.localPort ?? 0;
  const { host = "", origin } = headers;
  const target = /^\w+:\/\/([^/]*)/.exec(url)?.[1];
  if (!isOurs(host, port) || (target !== undefined && !isOurs(target, port)))
    return `the Host header has to be a loopback address with the port ${port}: this emulator is for this machine only`;
  if (origin !== undefined && !(origin.startsWith("http://") && isOurs(origin.slice("http://".length), port)))
    return "the Origin is not this emulator: pages from elsewhere may not call it";
  return undefined;
}

/** Whether `name:port` is one of our own; the port may be left out where it is the one of HTTP. */
function isOurs(authority: string, port: number): boolean {
  const [, name = "", given = "80"] = /^(\[[0-9a-f:.]+\]|[a-z0-9.]+)(?::(\d{1,5}))?$/i.exec(authority) ?? [];
  if (Number(given) !== port) return false;
  return name.toLowerCase() === "localhost" || isLoopback(name.replace(/^\[|\]$/g, ""));
}

function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}
