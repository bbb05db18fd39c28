import { HEAD, keysOf } from "../../lib/state/s3/head.ts";
import { valueIn } from "../../lib/state/s3/json-object.ts";
import { linesOfSegment } from "../../lib/state/s3/segments.ts";
import { zoneId } from "../../lib/core/brand.ts";
import type { MemoryBucket } from "./memory-bucket.ts";

/** What a bucket in memory has of a part of a zone's state; undefined where there is nothing. */
export function textInBucket(
  bucket: MemoryBucket,
  project: string,
  zone: string,
  part: "state" | "journal",
): string | undefined {
  const keys = keysOf(project, zoneId(zone));
  const bytes = bucket.peek(keys.head);
  if (!bytes) return undefined;
  const { snapshot, journal } = valueIn(HEAD, bytes, keys.head);
  if (part === "state") {
    const parts = Array.from({ length: snapshot?.parts ?? 0 }, (_none, number) =>
      bucket.peek(keys.part(snapshot?.name ?? "", number)),
    );
    return snapshot && Buffer.concat(parts.map((each) => each ?? new Uint8Array())).toString("utf8");
  }
  const lines: string[] = [];
  for (let number = 0; ; number += 1) {
    const segment = bucket.peek(keys.segment(journal.name, number));
    if (!segment) break;
    lines.push(...linesOfSegment(segment));
  }
  return lines.length > 0 ? `${lines.join("\n")}\n` : undefined;
}
