import { isHexId, type ZoneId, zoneId } from "../../core/brand.ts";
import { type Codec, record, records } from "../../core/codec.ts";
import { text } from "../../core/decode.ts";
import { VERSION } from "./json-object.ts";
import type { Place } from "./place.ts";
import { readShared, updateShared, type Shared } from "./shared.ts";

/** A zone of a project for which something may be kept. */
interface Entry {
  readonly project: string;
  readonly zone: string;
}

const ENTRY: Codec<Entry> = record<Entry>({ project: text, zone: text });

/** The zones of all projects, because nothing here lists a bucket. */
interface Index extends Shared {
  readonly entries: readonly Entry[];
}

const INDEX: Codec<Index> = record<Index>(
  { nonce: text, entries: records(ENTRY) },
  { format: "zoneform-index", version: VERSION },
);

/** Below the prefix; no project has a name that begins with an underscore. */
const KEY = "_index";

const EMPTY: Index = { nonce: "", entries: [] };

/** Names a zone before anything is kept for it. */
export async function addToIndex(place: Place, project: string, zone: ZoneId): Promise<void> {
  await updateShared(place, { key: KEY, codec: INDEX, empty: EMPTY }, (index) => {
    if (index.entries.some((each) => each.project === project && each.zone === zone)) return undefined;
    return { ...index, entries: [...index.entries, { project, zone }] };
  });
}

/** The zones of all projects for which something may be kept, in order. */
export async function indexed(place: Place): Promise<readonly { readonly project: string; readonly zone: ZoneId }[]> {
  const { entries } = await readShared(place, { key: KEY, codec: INDEX, empty: EMPTY });
  return entries
    .filter(({ zone }) => isHexId(zone))
    .map(({ project, zone }) => ({ project, zone: zoneId(zone) }))
    .sort((left, right) => compare(left.project, right.project) || compare(left.zone, right.zone));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
