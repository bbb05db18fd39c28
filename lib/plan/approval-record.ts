import { brandAddress, brandDigest, type Address } from "../core/brand.ts";
import { optionalText, text } from "../core/decode.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { Approval, ApprovedChange } from "./approval.ts";
import { hashOfDigests } from "./digest.ts";
import { decodeAction } from "./decode.ts";

const FORMAT = "zoneform-approval";
const VERSION = 1;

/** The lines under which an approval is kept: its hash, then a line for each change. No values, so no secrets. */
export function* encodeApproval({ hash, changes }: Approval): Iterable<string> {
  yield JSON.stringify({ format: FORMAT, version: VERSION, hash });
  for (const [address, { change: _change, ...rest }] of changes) yield JSON.stringify({ address, ...rest });
}

/** Reads an approval back; undefined for anything whose changes are not those that its hash was made of. Throws `DecodeError`. */
export async function decodeApproval(lines: AsyncIterable<string>): Promise<Approval | undefined> {
  const changes = new Map<Address, ApprovedChange>();
  let header: JsonObject | undefined;
  for await (const line of lines) {
    const value: unknown = JSON.parse(line);
    if (!isObject(value)) return undefined;
    if (header) changes.set(brandAddress(text(value, "address")), decodeChange(value));
    else header = value;
  }
  if (header?.["format"] !== FORMAT || header["version"] !== VERSION) return undefined;
  const hash = hashOfDigests([...changes.values()].map(({ digest }) => digest));
  return hash === header["hash"] ? { hash, changes } : undefined;
}

function decodeChange(from: JsonObject): ApprovedChange {
  return {
    action: decodeAction(from),
    digest: brandDigest(text(from, "digest")),
    ...digestIfThere(from, "rests"),
    ...digestIfThere(from, "desired"),
    ...digestIfThere(from, "secretless"),
  };
}

function digestIfThere<Name extends "rests" | "desired" | "secretless">(
  from: JsonObject,
  name: Name,
): Pick<ApprovedChange, Name> | object {
  const found = optionalText(from, name);
  return found === undefined ? {} : { [name]: brandDigest(found) };
}
