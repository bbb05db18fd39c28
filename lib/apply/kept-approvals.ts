import type { Digest, ZoneId } from "../core/brand.ts";
import type { Approval } from "../plan/approval.ts";
import { decodeApproval, encodeApproval } from "../plan/approval-record.ts";
import type { Lease, StateStore } from "../state/store.ts";

/** So many approvals are kept for runs that were stopped; older ones have to be given again as a plan file. */
const MOST_KEPT = 5;

const PREFIX = "approval-";

/** Keeps an approval beside the state, so that a run that is stopped goes on under it. Throws what the store throws. */
export async function keepApproval(
  store: StateStore,
  zone: ZoneId,
  lease: Lease,
  approval: Approval,
  nowMilliseconds: number,
): Promise<void> {
  const kept = (await store.names(zone)).filter((name) => name.startsWith(PREFIX));
  if (kept.some((name) => name.endsWith(ending(approval.hash)))) return;
  await store.keep(zone, lease, `${PREFIX}${Math.floor(nowMilliseconds)}${ending(approval.hash)}`, streamed(approval));
  for (const name of kept.slice(0, Math.max(0, kept.length + 1 - MOST_KEPT))) await store.discard(zone, lease, name);
}

/** The approval of a hash, where a run in one of the zones has begun under it. */
export async function keptApproval(
  store: StateStore,
  zones: readonly ZoneId[],
  hash: Digest,
): Promise<Approval | undefined> {
  for (const zone of zones) {
    const name = (await store.names(zone)).find((each) => each.startsWith(PREFIX) && each.endsWith(ending(hash)));
    const lines = name === undefined ? undefined : await store.kept(zone, name);
    const approval = lines && (await decodeApproval(lines));
    if (approval?.hash === hash) return approval;
  }
  return undefined;
}

/** Half of the hash names a record; the whole of it stands inside. */
function ending(hash: Digest): string {
  return `-${hash.replace("sha256:", "").slice(0, 32)}`;
}

async function* streamed(approval: Approval): AsyncIterable<string> {
  yield* encodeApproval(approval);
}
