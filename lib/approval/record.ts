import { brandAddress, brandDigest, zoneId } from "../core/brand.ts";
import { DecodeError, objects, optionalText, text, texts } from "../core/decode.ts";
import { isList, isObject, type JsonObject } from "../core/json.ts";
import { type Approval, type ApprovedChange, placeOf } from "./approval.ts";
import type { ApprovedPart } from "./parts.ts";
import { DIGEST_VERSION, hashOfChanges } from "../plan/digest.ts";
import { decodeAction } from "../plan/decode.ts";

const FORMAT = "zoneform-approval";
const VERSION = 3;

/** The lines under which an approval is kept: its hash, then a line for each change. No values, so no secrets. */
export function* encodeApproval({ hash, changes }: Approval): Iterable<string> {
  yield JSON.stringify({ format: FORMAT, version: VERSION, digest_version: DIGEST_VERSION, hash });
  for (const { change: _change, ...rest } of changes.values()) yield JSON.stringify(rest);
}

/**
 * Reads an approval back; undefined for anything that is damaged, or whose changes are not those that its hash was made
 * of: what cannot be told to have been approved was not. One that another version wrote is whole, and means nothing to
 * this one. Throws what reading the lines throws.
 */
export async function decodeApproval(
  lines: AsyncIterable<string>,
): Promise<Approval | "of another version" | undefined> {
  const changes = new Map<string, ApprovedChange>();
  let header: JsonObject | undefined;
  for await (const line of lines) {
    const value = objectOf(line);
    if (!value) return undefined;
    if (header) {
      const change = undamaged(() => decodeChange(value));
      if (!change) return undefined;
      changes.set(placeOf(change.zone, change.address), change);
    } else {
      if (value["format"] !== FORMAT) return undefined;
      if (isOfAnotherVersion(value)) return "of another version";
      header = value;
    }
  }
  if (!header) return undefined;
  const hash = hashOfChanges([...changes.values()]);
  return hash === header["hash"] ? { hash, changes } : undefined;
}

function isOfAnotherVersion({ version, digest_version: digests = 1 }: JsonObject): boolean {
  const isNumbered = typeof version === "number" && typeof digests === "number";
  return isNumbered && (version !== VERSION || digests !== DIGEST_VERSION);
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
    address: brandAddress(text(from, "address")),
    action: decodeAction(from),
    digest: brandDigest(text(from, "digest")),
    hazards: texts(from, "hazards"),
    ...digestIfThere(from, "rests"),
    ...(from["parts"] === undefined ? {} : { parts: objects(from, "parts").map(decodePart) }),
    ...digestIfThere(from, "desired"),
    ...digestIfThere(from, "secretless"),
    ...(refused === undefined ? {} : { refused }),
  };
}

function decodePart(from: JsonObject): ApprovedPart {
  const paths = from["paths"];
  if (!isList(paths)) throw new DecodeError("paths", "a list of paths", paths);
  return {
    digest: brandDigest(text(from, "digest")),
    paths: paths.map((path) => texts({ path }, "path")),
    sets: brandDigest(text(from, "sets")),
  };
}

function digestIfThere<Name extends "rests" | "desired" | "secretless">(
  from: JsonObject,
  name: Name,
): Pick<ApprovedChange, Name> | object {
  const found = optionalText(from, name);
  return found === undefined ? {} : { [name]: brandDigest(found) };
}
