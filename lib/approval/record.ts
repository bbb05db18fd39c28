import type { Digest } from "../core/brand.ts";
import { address, type Codec, digest, oneOf, optional, record, records, zone } from "../core/codec.ts";
import { DecodeError, optionalText, texts } from "../core/decode.ts";
import { isList, isObject, type JsonObject, type Path } from "../core/json.ts";
import { ACTIONS } from "../plan/change.ts";
import { type Approval, type ApprovedChange, placeOf } from "./approval.ts";
import type { ApprovedPart } from "./parts.ts";
import { DIGEST_VERSION, hashOfChanges } from "../plan/digest.ts";

const FORMAT = "zoneform-approval";
const VERSION = 1;

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
      const change = undamaged(() => CHANGE.decode(value));
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

function isOfAnotherVersion({ version, digest_version: digests }: JsonObject): boolean {
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

const PART: Codec<ApprovedPart> = record<ApprovedPart>({ digest, paths, sets: digest });

const CHANGE: Codec<ApprovedChange> = record<Omit<ApprovedChange, "change">>({
  zone,
  address,
  action: oneOf(ACTIONS),
  digest,
  hazards: texts,
  rests: optionalDigest,
  parts: optional(records(PART)),
  desired: optionalDigest,
  secretless: optionalDigest,
  refused: optionalText,
});

function paths(from: JsonObject, field: string): readonly Path[] {
  const value = from[field];
  if (!isList(value)) throw new DecodeError(field, "a list of paths", value);
  return value.map((path) => texts({ path }, "path"));
}

function optionalDigest(from: JsonObject, field: string): Digest | undefined {
  return optionalText(from, field) === undefined ? undefined : digest(from, field);
}
