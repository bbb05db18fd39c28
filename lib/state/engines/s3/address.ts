import { exposedEndpoint, isExposed, parametersIn } from "../address.ts";
import { StateError, placeError } from "../../error.ts";

/** What the address says about a bucket; AWS's usual environment says the rest. */
export interface Address {
  readonly bucket: string;
  /** The start of every key: empty, or ending in a slash. */
  readonly prefix: string;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  /** Whether the bucket is in the path instead of the host; undefined if the address does not say. */
  readonly isPathStyle: boolean | undefined;
}

const PARAMETERS = ["region", "endpoint", "path_style"] as const;

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/;
const REGION = /^[A-Za-z0-9-]{1,64}$/;

/** Every part of a prefix is also a valid file name, for servers that keep objects as files. */
const PREFIX = /^[A-Za-z0-9!_.*'()-]+(?:\/[A-Za-z0-9!_.*'()-]+)*$/;

const FORM = /^s3:\/\/([^/?#@:]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

/** Reads `s3://bucket/prefix?name=value`. Throws `StateError`; no message holds a part that could be a password. */
export function parseAddress(
  address: string,
  wanted: { readonly bucket?: string; readonly key?: string } = {},
): Address {
  const found = FORM.exec(address);
  if (!found)
    throw fault(
      /^s3:\/\/[^/?#]*@/i.test(address)
        ? "it has credentials, and those come from AWS's environment or files"
        : "it does not have the form s3://BUCKET/PREFIX",
    );
  const [, inAddress = "", path = "", query = ""] = found;
  const { bucket, prefix } = placeIn({ bucket: inAddress, prefix: trimmed(path) }, wanted);
  if (prefix !== "" && (!PREFIX.test(prefix) || prefix.split("/").some((part) => /^\.+$/.test(part))))
    throw fault("the prefix has a character that is not safe in a key, or a part without a name");
  const given = new Map(parametersIn(query, PARAMETERS, fault));
  const region = given.get("region");
  if (region !== undefined && !REGION.test(region)) throw fault("the region has a character that no region has");
  return {
    bucket,
    prefix: prefix === "" ? "" : `${prefix}/`,
    region,
    endpoint: endpointIn(given.get("endpoint")),
    isPathStyle: yesOrNo(given.get("path_style")),
  };
}

/**
 * The address names both bucket and prefix, or leaves both to the project file. Otherwise the file could choose half of
 * a place.
 */
function placeIn(
  named: Pick<Address, "bucket" | "prefix">,
  { bucket, key }: { readonly bucket?: string; readonly key?: string },
): Pick<Address, "bucket" | "prefix"> {
  const isBare = named.bucket === "" && named.prefix === "";
  const found = isBare ? { bucket: bucket ?? "", prefix: trimmed(key ?? "") } : named;
  if (!BUCKET.test(found.bucket))
    throw fault(
      found.bucket === ""
        ? "it names no bucket"
        : `${JSON.stringify(found.bucket)} is no name of a bucket: that is 2 to 255 letters, digits, dots, hyphens or underscores`,
    );
  checkWanted("bucket", found.bucket, bucket);
  checkWanted("prefix", found.prefix, key === undefined ? undefined : trimmed(key));
  return found;
}

function checkWanted(what: "bucket" | "prefix", found: string, wanted: string | undefined): void {
  if (wanted === undefined || found === wanted) return;
  const named = found === "" ? `no ${what}` : `the ${what} ${JSON.stringify(found)}`;
  throw new StateError({
    code: "state-engine",
    message: `the address of the states names ${named}, and the project file ${JSON.stringify(wanted)}`,
    remedy: "find out which is right; with s3:// and no bucket in the address, the project file names both",
  });
}

function trimmed(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}

/** An address that leads to the same bucket in another environment. */
export function formatAddress({ bucket, prefix, region, endpoint, isPathStyle }: Address): string {
  const place = prefix === "" ? bucket : `${bucket}/${prefix.slice(0, -1)}`;
  const parameters = [
    ...(region === undefined ? [] : [`region=${region}`]),
    ...(endpoint === undefined ? [] : [`endpoint=${encoded(endpoint)}`]),
    ...(isPathStyle === undefined ? [] : [`path_style=${isPathStyle}`]),
  ];
  return `s3://${place}${parameters.length === 0 ? "" : `?${parameters.join("&")}`}`;
}

/** Encodes only what a parameter requires. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%2F", "/");
}

function endpointIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw fault("the endpoint is no https:// or http:// address");
  if (url.username !== "" || url.password !== "")
    throw fault("the endpoint has a user or a password; credentials come from AWS's environment or files");
  if (isExposed(url)) throw exposedEndpoint("the endpoint in the address of the state");
  return text;
}

function yesOrNo(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw fault("path_style is neither true nor false");
}

function fault(what: string): StateError {
  return placeError({
    code: "state-address",
    message: `the address of the state cannot be used: ${what}`,
    remedy: "correct ZONEFORM_STATE or --state: s3://BUCKET/PREFIX?region=REGION&endpoint=https://HOST&path_style=true",
  });
}
