import { readAddress } from "../addresses.ts";
import { FIELDS } from "../tables/fields.ts";
import { decodeUrl } from "./url.ts";
import { byteLength, lowerAscii } from "./text.ts";
import type { Request, Value } from "./values.ts";

/** What is known of an HTTP request. */
export interface RequestInput {
  readonly method?: string;
  /** The URL as the client sent it, for instance `https://www.example.com/a?b=c`. */
  readonly url: string;
  /** Names and values in the order of the request. A `Host` overrides the host of the URL. */
  readonly headers?: Iterable<readonly [string, string]>;
  readonly body?: string;
  /** The version of HTTP, such as `HTTP/2`. */
  readonly version?: string;
  /** The address of the client. */
  readonly address?: string;
  /** When the request arrived, in milliseconds since 1970. */
  readonly time?: number;
  /** The random bytes of the request. */
  readonly seed?: string;
  /** What else is known, such as `cf.waf.score`: these values go before the others. */
  readonly fields?: ReadonlyMap<string, Value>;
  readonly isInList?: Request["isInList"];
}

/**
 * The request as expressions see it. A field that cannot be derived from the input, such as a score of one of the service's
 * products, is missing. Cloudflare normalizes a URL before it looks at it; this does not.
 */
export function requestOf(input: RequestInput): Request {
  const url = splitUrl(input.url);
  const headers = Array.from(input.headers ?? []);
  const byName = group(headers.map(([name, value]) => [lowerAscii(name), value]));
  const header = (name: string): string => byName.get(name)?.[0] ?? "";
  const cookie = (byName.get("cookie") ?? []).join("; ");
  const host = header("host") || url.host;
  const fields: Record<string, Value | undefined> = {
    ...NONE,
    "cf.edge.client_tcp": !input.version?.startsWith("HTTP/3"),
    "cf.edge.server_port": url.port,
    "cf.random_seed": input.seed,
    "http.cookie": cookie,
    "http.host": host,
    "http.referer": header("referer"),
    "http.request.accepted_languages": languages(header("accept-language")),
    "http.request.cookies": group(pairs(cookie, ";").map(([name, value]) => [decodeUrl(name.trim()), value])),
    "http.request.full_uri": `${url.scheme}://${host}${url.target}`,
    "http.request.headers": byName,
    "http.request.headers.names": headers.map(([name]) => name),
    "http.request.headers.truncated": false,
    "http.request.headers.values": headers.map(([, value]) => value),
    "http.request.method": (input.method ?? "GET").toUpperCase(),
    "http.request.timestamp.msec": input.time === undefined ? undefined : input.time % 1000,
    "http.request.timestamp.sec": input.time === undefined ? undefined : Math.floor(input.time / 1000),
    "http.request.version": input.version ?? "HTTP/1.1",
    "http.user_agent": header("user-agent"),
    "http.x_forwarded_for": (byName.get("x-forwarded-for") ?? []).join(", "),
    "ip.src": input.address === undefined ? undefined : readAddress(input.address),
    ssl: url.scheme === "https",
    ...uriFields("http.request", url),
    ...bodyFields(input.body ?? "", header("content-type")),
  };
  for (const name of RAW) fields[`raw.${name}`] = fields[name];
  fields["http.request.uri.path.extension"] = lowerAscii(extension(url.path));
  const known = Object.entries(fields).flatMap(([name, value]): [string, Value][] =>
    value === undefined ? [] : [[name, value]],
  );
  const values = new Map([...known, ...(input.fields ?? [])]);
  for (const { name, replacedBy } of DEPRECATED) {
    const value = values.get(replacedBy);
    if (value !== undefined && !values.has(name)) values.set(name, value);
  }
  return { fields: values, ...(input.isInList && { isInList: input.isInList }) };
}

/** The fields that have the value of another one. */
const DEPRECATED = Array.from(FIELDS).flatMap(([name, { replacedBy }]) =>
  replacedBy === undefined ? [] : [{ name, replacedBy }],
);

/** What the documentation says of a request over a connection without a client certificate, from no Worker. */
const NONE: Readonly<Record<string, Value>> = {
  "cf.appsec.request.failed_detections": [],
  "cf.threat_score": 0,
  "cf.worker.upstream_zone": "",
  ...Object.fromEntries(
    Array.from(FIELDS)
      .filter(([name]) => name.startsWith("cf.tls_client_auth."))
      .map(([name, { type }]) => [name, type === "bool" ? false : ""]),
  ),
};

/** The fields that have a twin with `raw.` before its name. */
const RAW = [
  "http.request.full_uri",
  "http.request.headers",
  "http.request.headers.names",
  "http.request.headers.values",
  "http.request.uri",
  "http.request.uri.args",
  "http.request.uri.args.names",
  "http.request.uri.args.values",
  "http.request.uri.path",
  "http.request.uri.path.extension",
  "http.request.uri.query",
] as const;

interface Url {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly query: string;
  /** Path and query, as the request has them. */
  readonly target: string;
}

/** The parts of a URL as they are written: `URL` would change them. */
function splitUrl(url: string): Url {
  const [, scheme = "https", host = "", target = ""] = /^(?:([a-z]+):\/\/([^/?#]*))?([^#]*)/.exec(url) ?? [];
  const [path = "", ...query] = (target.startsWith("/") ? target : `/${target}`).split("?");
  const port = Number(/:([0-9]+)$/.exec(host)?.[1] ?? (scheme === "https" ? 443 : 80));
  const written = query.join("?");
  return { scheme, host, port, path, query: written, target: query.length === 0 ? path : `${path}?${written}` };
}

function uriFields(prefix: string, { target, path, query }: Url): Record<string, Value> {
  const queried = pairs(query, "&");
  return {
    [`${prefix}.uri`]: target,
    [`${prefix}.uri.args`]: group(queried),
    [`${prefix}.uri.args.names`]: queried.map(([name]) => name),
    [`${prefix}.uri.args.values`]: queried.map(([, value]) => value),
    [`${prefix}.uri.path`]: path,
    [`${prefix}.uri.path.extension`]: extension(path),
    [`${prefix}.uri.query`]: query,
  };
}

function bodyFields(body: string, contentType: string): Record<string, Value> {
  const form = lowerAscii(contentType).startsWith("application/x-www-form-urlencoded") ? pairs(body, "&") : [];
  return {
    "http.request.body.form": group(form),
    "http.request.body.form.names": form.map(([name]) => name),
    "http.request.body.form.values": form.map(([, value]) => value),
    "http.request.body.raw": body,
    "http.request.body.size": byteLength(body),
    "http.request.body.truncated": false,
  };
}

/** What follows the last dot of the last part of a path. A dot that begins the part hides a file. */
function extension(path: string): string {
  return /[^/]\.([^./]*)$/.exec(path)?.[1] ?? "";
}

/** Names and values, such as `a=1&b=2`. */
function pairs(text: string, separator: string): [string, string][] {
  return text
    .split(separator)
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      return equals === -1 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

/** The values of each name. */
function group(all: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of all) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

/** The tags of an Accept-Language header, those with the greatest weight first. */
function languages(header: string): readonly string[] {
  return header
    .split(",")
    .map((entry) => {
      const [tag = "", ...parameters] = entry.split(";").map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return { tag, weight: Number(weight) || 0 };
    })
    .filter(({ tag }) => tag !== "" && tag !== "*")
    .toSorted((left, right) => right.weight - left.weight)
    .map(({ tag }) => tag);
}
