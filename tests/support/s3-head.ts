import { bodyOf } from "../../lib/state/engines/s3/head.ts";
import { HEAD, type Keys, keysOf } from "../../lib/state/engines/s3/head.ts";
import { valueIn } from "../../lib/state/engines/s3/shared.ts";
import { linesOfSegment } from "../../lib/state/engines/s3/segments.ts";
import { zoneId } from "../../lib/core/brand.ts";
import { type Entry, entryOf, STATE } from "../../lib/state/engine.ts";
import type { MemoryBucket } from "./memory-bucket.ts";

/** What a bucket in memory has of a part of a zone's state; undefined where there is nothing. */
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
  if (part === "state") return textOfEntry(bucket, keys, entryOf(entries, STATE));
  const lines: string[] = [];
  for (let number = 0; ; number += 1) {
    const segment = bucket.peek(keys.segment(journal.name, number));
    if (!segment) break;
    lines.push(...linesOfSegment(segment));
  }
  return lines.length > 0 ? `${lines.join("\n")}\n` : undefined;
}

function textOfEntry(bucket: MemoryBucket, keys: Keys, entry: Entry | undefined): string | undefined {
  if (!entry) return undefined;
  if (entry.isWhole) return entry.start.map((line) => `${line}\n`).join("");
  const { name, parts } = bodyOf(entry);
  const all = Array.from(
    { length: parts },
    (_none, number) => bucket.peek(keys.part(name, number)) ?? new Uint8Array(),
  );
  return Buffer.concat(all).toString("utf8");
}
