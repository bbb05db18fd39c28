import { brandAddress, brandDigest, type Address, zoneId } from "../core/brand.ts";
import { DecodeError, optionalText, text } from "../core/decode.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { Approval, ApprovedChange } from "./approval.ts";
import { hashOfChanges } from "./digest.ts";
import { decodeAction } from "./decode.ts";

const FORMAT = "zoneform-approval";
const VERSION = 1;

/** The lines under which an approval is kept: its hash, then a line for each change. No values, so no secrets. */
export function* encodeApproval({ hash, changes }: Approval): Iterable<string> {
  yield JSON.stringify({ format: FORMAT, version: VERSION, hash });
  for (const [address, { change: _change, ...rest }] of changes) yield JSON.stringify({ address, ...rest });
}

/**
 * Reads an approval back; undefined for anything that is damaged, or whose changes are not those that its hash was made
 * of: what cannot be told to have been approved was not. Throws what reading the lines throws.
 */
export async function decodeApproval(lines: AsyncIterable<string>): Promise<Approval | undefined> {
  const changes = new Map<Address, ApprovedChange>();
  let header: JsonObject | undefined;
  for await (const line of lines) {
    const value = objectOf(line);
    if (!value) return undefined;
    if (header) {
      const change = undamaged(() => [brandAddress(text(value, "address")), decodeChange(value)] as const);
      if (!change) return undefined;
      changes.set(...change);
    } else header = value;
  }
  if (header?.["format"] !== FORMAT || header["version"] !== VERSION) return undefined;
  const hash = hashOfChanges([...changes.values()]);
  return hash === header["hash"] ? { hash, changes } : undefined;
}

function objectOf(line: string): JsonObject | undefined {
  const value = undamaged((): unknown => JSON.parse(line));
  return isObject(value) ? value : undefined;
}

function undamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof DecodeError) return undefined;
    throw thrown;
  }
}

function decodeChange(from: JsonObject): ApprovedChange {
  const refused = optionalText(from, "refused");
  return {
    zone: zoneId(text(from, "zone")),
    action: decodeAction(from),
    digest: brandDigest(text(from, "digest")),
    ...digestIfThere(from, "rests"),
    ...digestIfThere(from, "desired"),
    ...digestIfThere(from, "secretless"),
    ...(refused === undefined ? {} : { refused }),
  };
}

function digestIfThere<Name extends "rests" | "desired" | "secretless">(
  from: JsonObject,
  name: Name,
): Pick<ApprovedChange, Name> | object {
  const found = optionalText(from, name);
  return found === undefined ? {} : { [name]: brandDigest(found) };
}
