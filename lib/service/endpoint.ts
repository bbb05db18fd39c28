import { error, problem, type Result } from "../core/diagnostic.ts";
import { HttpFailure } from "./http.ts";

/** Where calls go. */
export interface Endpoint {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** Where the URL comes from, for messages. */
  readonly from: "--api-url" | "CLOUDFLARE_BASE_URL" | "default";
}

/** The address of the service's API (docs/service.md#base-address). */
const DEFAULT_URL = "https://api.cloudflare.com/client/v4";

/**
 * Reads this run's endpoint: the flag, else the environment, else the service itself. It never comes from a file of the
 * repository, because people who may edit that file could have the token sent to themselves
 * (docs/semantics.md#credentials-and-secrets). A message repeats only the scheme of a refused URL, because the rest may
 * hold a password.
 */
export function readEndpoint(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Result<Endpoint> {
  const variable = environment["CLOUDFLARE_BASE_URL"];
  if (flag !== undefined) return check(flag, "--api-url");
  if (variable !== undefined && variable !== "") return check(variable, "CLOUDFLARE_BASE_URL");
  return { ok: true, value: { url: DEFAULT_URL, from: "default" }, warnings: [] };
}

function check(text: string, from: Endpoint["from"]): Result<Endpoint> {
  const fault = urlFault(text);
  if (fault !== undefined) return { ok: false, diagnostics: [error(problem("bad-endpoint", { from, fault }))] };
  const url = new URL(text);
  return { ok: true, value: { url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`, from }, warnings: [] };
}

/** Why no credential may be sent to a URL, as the end of a sentence; undefined if it may. */
export function urlFault(
  text: string,
  query: "with a query" | "without a query" = "without a query",
): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return "is not a URL";
  if (/[\s\\]/.test(text)) return "contains a space or a backslash";
  if (url.protocol !== "https:" && url.protocol !== "http:") return `begins with ${url.protocol} instead of https:`;
  if (url.username !== "" || url.password !== "" || hostText(text).includes("@"))
    return "contains a user name or a password";
  if (text.includes("#") || (text.includes("?") && query === "without a query"))
    return "contains a query or a fragment";
  if (url.protocol === "http:" && !isLoopback(hostText(text)))
    return "is plain http to a host that is not this machine";
  return namesForbidden(url.hostname) ? "names a link-local, metadata or multicast address" : undefined;
}

/** The host as written: numbers that a URL parser turns into an address (`2130706433`) must not pass as a name. */
function hostText(text: string): string {
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(text)?.[1] ?? "";
  return authority.replace(/:\d*$/, "").toLowerCase();
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (!host.startsWith("[") && isLoopbackAddress(host));
}

/**
 * Whether the host is a forbidden address, in any spelling: the URL parser has normalised it. Names are checked when
 * they are resolved.
 */
function namesForbidden(hostname: string): boolean {
  const address = /^\[(.*)\]$/.exec(hostname)?.[1] ?? hostname;
  return /^[\d.]+$|:/.test(address) && isForbiddenAddress(address);
}

/** Eight groups of 16 bits: an IPv6 address, or an IPv4 address in the last two. */
type Groups = readonly number[];

/**
 * Whether an IP address must never get a credential. No API is at such an address, but the machine's own cloud may
 * serve metadata there that includes the machine's credentials. Forbidden are unspecified, link-local, multicast and
 * broadcast addresses and the known metadata services, also as an IPv4 address embedded in an IPv6 one. Text that is
 * not an address is forbidden.
 */
export function isForbiddenAddress(address: string): boolean {
  const groups = groupsOf(address);
  if (groups === undefined) return true;
  const inside = ipv4Inside(groups);
  if (inside !== undefined) return isForbiddenIpv4(inside);
  return isZero(groups) || isLinkLocal(groups) || isMulticast(groups) || METADATA_IPV6.has(groups.join(" "));
}

/** Whether an IP address is this machine: exactly 127.0.0.0/8 and ::1. */
export function isLoopbackAddress(address: string): boolean {
  const groups = groupsOf(address);
  if (groups === undefined) return false;
  if (!address.includes(":")) return (groups[6] ?? 0) >> 8 === 127;
  return groups.at(-1) === 1 && isZero(groups.slice(0, -1));
}

/** The clouds' metadata services that are not link-local: fd00:ec2::254, fd20:ce::254. */
const METADATA_IPV6: ReadonlySet<string> = new Set(
  ["fd00:ec2::254", "fd20:ce::254"].flatMap((address) => groupsOf(address)?.join(" ") ?? []),
);

/** The same for IPv4: Alibaba's and Oracle's. */
const METADATA_IPV4: ReadonlySet<string> = new Set(["100.100.100.200", "192.0.0.192"]);

function isForbiddenIpv4(bytes: readonly number[]): boolean {
  const [first = 0, second = 0] = bytes;
  return first === 0 || first >= 224 || (first === 169 && second === 254) || METADATA_IPV4.has(bytes.join("."));
}

/**
 * The IPv4 address that an address embeds: plain, mapped (::ffff:0:0/96), compatible (::/96), NAT64 (64:ff9b::/96),
 * 6to4 (2002::/16).
 */
function ipv4Inside(groups: Groups): readonly number[] | undefined {
  if (groups[0] === 0x2002) return bytesOf(groups.slice(1, 3));
  const [before, last] = [groups.slice(0, 6), groups.slice(6)];
  const isMapped = isZero(before.slice(0, 5)) && before[5] === 0xffff;
  const isNat64 = before[0] === 0x64 && before[1] === 0xff9b && isZero(before.slice(2));
  // `::1` and `::` embed no IPv4 address.
  const isCompatible = isZero(before) && (last[0] ?? 0) !== 0;
  return isMapped || isNat64 || isCompatible ? bytesOf(last) : undefined;
}

function bytesOf(groups: Groups): readonly number[] {
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

function isZero(groups: Groups): boolean {
  return groups.every((group) => group === 0);
}

/** fe80::/10, and its former range fec0::/10. */
function isLinkLocal([first = 0]: Groups): boolean {
  return first >= 0xfe80 && first <= 0xfeff;
}

function isMulticast([first = 0]: Groups): boolean {
  return first >= 0xff00;
}

/**
 * Parses an address in its usual spelling, without a zone id; undefined for anything else. An IPv4 address becomes a
 * mapped one.
 */
function groupsOf(address: string): Groups | undefined {
  const plain = address.replace(/%.*$/, "");
  if (!plain.includes(":")) {
    const bytes = ipv4Bytes(plain);
    return bytes && [0, 0, 0, 0, 0, 0xffff, ...pairsOf(bytes)];
  }
  const [before = "", after, more] = plain.split("::");
  const [head, tail] = [pieces(before), pieces(after ?? "")];
  if (more !== undefined || head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function pieces(text: string): Groups | undefined {
  if (text === "") return [];
  const found = text.split(":").map((piece, index, all) => {
    const bytes = index === all.length - 1 ? ipv4Bytes(piece) : undefined;
    if (bytes) return pairsOf(bytes);
    return /^[0-9a-f]{1,4}$/i.test(piece) ? [Number.parseInt(piece, 16)] : undefined;
  });
  return found.every((each) => each !== undefined) ? found.flat() : undefined;
}

function ipv4Bytes(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  return isAddress ? parts.map(Number) : undefined;
}

function pairsOf([a = 0, b = 0, c = 0, d = 0]: readonly number[]): Groups {
  return [a * 256 + b, c * 256 + d];
}

/** An address as the system's lookup returns it. */
export interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

type Answer = (failure: NodeJS.ErrnoException | null, found: string | FoundAddress[], family?: number) => void;

/** How Node looks up a name when it connects: one address, or all of them. */
export type Lookup = (name: string, options: { all?: boolean | undefined }, answer: Answer) => void;

/** Which addresses we may connect to: with TLS, all but the forbidden ones; without TLS, only this machine. */
export function mayConnect(address: string, isEncrypted: boolean): boolean {
  return isEncrypted ? !isForbiddenAddress(address) : isLoopbackAddress(address);
}

/** The failure of a connection that we refuse because of its address. Nothing was sent. */
export function forbidden(name: string): HttpFailure {
  const message = `${name} leads to an address that no token is sent to`;
  return new HttpFailure(message, false, { reason: "forbidden" });
}

/**
 * Wraps a lookup so that it returns only addresses that we may connect to. Node connects to exactly these and does not
 * look up the name again, so a name that changes its answer (rebinding) gains nothing.
 */
export function checkedLookup(lookup: Lookup, isEncrypted: boolean): Lookup {
  return (name, options, answer) => {
    lookup(name, { ...options, all: true }, (failure, found) => {
      if (failure !== null || typeof found === "string") return answer(failure ?? forbidden(name), []);
      const allowed = found.filter(({ address }) => mayConnect(address, isEncrypted));
      const [first] = allowed;
      if (first === undefined) return answer(forbidden(name), []);
      return options.all === true ? answer(null, allowed) : answer(null, first.address, first.family);
    });
  };
}
