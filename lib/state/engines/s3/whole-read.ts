import { createHash } from "node:crypto";
import { type Bucket, BucketLost, type Found } from "./bucket.ts";

/** Nobody writes an object so often that no two reads of it agree. */
const MOST_READS = 20;

/**
 * One version of an object that others may replace meanwhile; undefined if there is none. Some servers give the tag of one
 * version with the bytes of another while somebody writes, and who replaces that version would undo a write. So what is
 * not the digest of its tag is read until two answers agree. Throws as `Bucket` does.
 */
export async function readWhole(bucket: Bucket, key: string, signal?: AbortSignal): Promise<Found | undefined> {
  let before: Found | undefined;
  for (let reads = 1; reads <= MOST_READS; reads += 1) {
    const found = await bucket.get(key, signal);
    if (!found || md5(found.bytes) === found.tag) return found;
    if (before?.tag === found.tag && Buffer.compare(before.bytes, found.bytes) === 0) return found;
    before = found;
  }
  throw new BucketLost(`the object ${key} changes faster than it can be read`);
}

function md5(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}
