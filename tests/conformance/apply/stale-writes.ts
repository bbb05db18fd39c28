import type { LoggedRequest } from "../../../lib/emulator/request-log.ts";
import { inShort } from "./fresh-reads-world.ts";

/** A write leaves at most this long after the answer to its read. */
export const OLDEST_READ_MILLISECONDS = 1000;

/** Which read shows what a write changes; by default the path of the write itself. */
const READS: readonly (readonly [write: RegExp, read: RegExp])[] = [
  [/^(DELETE|PATCH) \/rulesets\//, /^GET \/rulesets\//],
  [/^POST \/ssl\/certificate_packs\/order/, /^GET \/ssl\/certificate_packs/],
  [/^DELETE \/firewall\/waf\/overrides\//, /^GET \/(firewall|waf_migration|pagerules)/],
];

/** Writes that do not directly follow a read of their object, in words. */
export function staleWrites(log: readonly LoggedRequest[]): readonly string[] {
  return log.flatMap((write, index) => {
    const needsNone = write.method === "GET" || inShort(write) === "POST /custom_hostnames";
    if (needsNone) return [];
    const read = log[index - 1];
    if (!read || !isReadFor(write, read)) return [`${inShort(write)} comes after ${read ? inShort(read) : "nothing"}`];
    const age = write.at - read.at;
    return age <= OLDEST_READ_MILLISECONDS ? [] : [`${inShort(write)} comes ${age} ms after its read`];
  });
}

function isReadFor(write: LoggedRequest, read: LoggedRequest): boolean {
  // 404 is an answer too: the object does not exist.
  if (read.method !== "GET" || (read.status >= 300 && read.status !== 404)) return false;
  const [, other] = READS.find(([pattern]) => pattern.test(inShort(write))) ?? [];
  return other ? other.test(inShort(read)) : read.path === write.path;
}
