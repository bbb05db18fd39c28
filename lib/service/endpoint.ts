import { type Diagnostic, error, type Result } from "../core/diagnostic.ts";
import { isForbiddenAddress, isLoopbackAddress } from "./address.ts";

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
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fault = url === undefined ? "is not a URL" : faultOf(url, text);
  if (url === undefined || fault !== undefined) return { ok: false, diagnostics: [refusal(from, fault ?? "")] };
  return { ok: true, value: { url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`, from }, warnings: [] };
}

function faultOf(url: URL, text: string): string | undefined {
  if (/[\s\\]/.test(text)) return "contains a space or a backslash";
  if (url.protocol !== "https:" && url.protocol !== "http:") return `begins with ${url.protocol} instead of https:`;
  if (url.username !== "" || url.password !== "" || hostText(text).includes("@"))
    return "contains a user name or a password";
  if (text.includes("?") || text.includes("#")) return "contains a query or a fragment";
  if (url.protocol === "http:" && !isLoopback(hostText(text)))
    return "is plain http to a host that is not this machine";
  return namesForbidden(url.hostname) ? "names a link-local, metadata or multicast address" : undefined;
}

/** The host as it was written: numbers that a URL parser turns into an address (`2130706433`) must not pass as a name. */
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

function refusal(from: string, fault: string): Diagnostic {
  return error({
    code: "bad-endpoint",
    message: `the URL of ${from} ${fault}`,
    remedy: `give the API's base URL, such as ${DEFAULT_URL}; plain http only for 127.0.0.1, ::1 and localhost`,
  });
}
