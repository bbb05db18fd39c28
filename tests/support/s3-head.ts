import { HEAD, keysOf, objectsOf } from "../../lib/state/engines/s3/head.ts";
import { valueIn } from "../../lib/state/engines/s3/shared.ts";
import { linesIn } from "../../lib/state/engines/s3/lines.ts";
import { zoneId } from "../../lib/core/brand.ts";
import { entryOf, STATE } from "../../lib/state/engine.ts";
import type { MemoryBucket } from "./memory-bucket.ts";

/** The text of a part of a zone's state in a bucket in memory; undefined if there is none. */
export function textInBucket(
  bucket: MemoryBucket,
  project: string,
  zone: string,
  part: "state" | "journal",
): string | undefined {
  const keys = keysOf({ project, zone: zoneId(zone) });
  const bytes = bucket.peek(keys.head);
  if (!bytes) return undefined;
  const { entries, journal } = valueIn(HEAD, bytes, keys.head);
  const state = entryOf(entries, STATE);
  if (part === "state" && !state) return undefined;
  if (part === "state" && state?.isWhole) return textOf(state.start);
  const { name } = part === "state" ? objectsOf(state?.tag ?? "") : journal;
  const lines: string[] = [];
  for (let number = 0; ; number += 1) {
    const object = bucket.peek(keys.object(name, number));
    if (!object) break;
    lines.push(...linesIn(object));
  }
  return part === "state" || lines.length > 0 ? textOf(lines) : undefined;
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
