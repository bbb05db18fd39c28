import { isHexId, zoneId } from "../../../core/brand.ts";
import { type Codec, record, records } from "../../../core/codec.ts";
import { text } from "../../../core/decode.ts";
import type { ZoneKey } from "../../engine.ts";
import { type SharedValue, VERSION } from "../../shared-value.ts";
import type { Place } from "./place.ts";
import { objectValue } from "./shared.ts";

/** A zone of a project for which something may be kept. */
interface Listed {
  readonly project: string;
  readonly zone: string;
}

/** The zones of all projects, because nothing here lists a bucket. */
interface Index {
  readonly entries: readonly Listed[];
}

const INDEX: Codec<Index> = record<Index>(
  { entries: records(record<Listed>({ project: text, zone: text })) },
  { format: "zoneform-index", version: VERSION },
);

/** Below the prefix; no project has a name that begins with an underscore. */
function indexIn(place: Place): SharedValue<Index> {
  return objectValue(place, "_index", INDEX, { entries: [] });
}

/** Names a zone before anything is kept for it. */
export async function addToIndex(place: Place, { project, zone }: ZoneKey): Promise<void> {
  await indexIn(place).update(({ entries }) => {
    if (entries.some((each) => each.project === project && each.zone === zone)) return undefined;
    return { entries: [...entries, { project, zone }] };
  });
}

/** The zones of all projects for which something may be kept. */
export async function indexed(place: Place): Promise<readonly ZoneKey[]> {
  const { entries } = await indexIn(place).read();
  return entries.flatMap(({ project, zone }) => (isHexId(zone) ? [{ project, zone: zoneId(zone) }] : []));
}
