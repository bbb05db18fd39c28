import { type JsonObject, withoutValueAt, withValueAt } from "../core/json.ts";
import type { Change } from "../plan/change.ts";
import { seenOf } from "../plan/seen.ts";
import { withFingerprints } from "../plan/secrets.ts";
import { certificateFingerprint, uploadedFingerprints } from "../kinds/custom-hostname/upload.ts";
import { isUpload } from "../plan/served.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { PreImage } from "../state/record.ts";
import type { StateObject } from "../state/state.ts";
import { addressOf, type Performance, type Performed } from "./performance.ts";

/** Writes down that a change worked, with what the service answered. */
export function settled(
  run: Performance,
  change: Change,
  live: Live,
  noted?: string,
  more: Pick<StateObject, "asked"> = {},
): Performed {
  const action = change.action === "create" || change.action === "replace" ? change.action : "update";
  run.journal.done({ address: addressOf(change), action, object: { ...remembered(run, change, live), ...more } });
  return { outcome: { status: "done", ...(noted === undefined ? {} : { note: noted }) }, id: live.id };
}

/** What an object was before a write, for `zoneform undo`. */
export function preImage({ id, values }: Live): PreImage {
  return { id, values };
}

/** What the state is to keep of the object after this change. What is held was not sent, so it keeps its last applied value. */
export function remembered(run: Performance, change: Change, live: Live | undefined): StateObject {
  const before = run.before(addressOf(change));
  // By the clock of the service, where it has said it: what other runs see is dated by that.
  const now = new Date(run.client.serviceTime() ?? run.clock.now()).toISOString();
  return {
    kind: change.kind,
    key: change.key,
    id: live?.id ?? change.id ?? "",
    applied: withoutHeld(
      change,
      withFingerprints(change.desired ?? {}, kindNamed(change.kind).writeOnly, run.fingerprintOf),
    ),
    ...((run.isStale && before ? before.protect : change.protect) ? { protect: true as const } : {}),
    ...(live ? seenOf(live, before, now) : seenBefore(change, before)),
    ...(change.undeclared ? { undeclared: true as const } : {}),
    ...uploadedBy(run, change, before),
  };
}

/** Of an upload that waits, the one before it stays. */
function uploadedBy(run: Performance, change: Change, before: StateObject | undefined): Pick<StateObject, "uploaded"> {
  const isWaiting = change.held?.leaves.some(({ path }) => isUpload(path)) === true;
  const uploaded = isWaiting
    ? before?.uploaded
    : uploadedFingerprints(change.desired ?? {}, (reference) => certificateFingerprint(run.reveal(reference)));
  return uploaded ? { uploaded } : {};
}

/** Nothing was re-read: the plan's word, else the state's. */
function seenBefore(change: Change, before: StateObject | undefined): Pick<StateObject, "seen"> {
  const seen = change.seen ?? before?.seen;
  return seen ? { seen } : {};
}

function withoutHeld(change: Change, applied: JsonObject): JsonObject {
  return (change.held?.leaves ?? []).reduce((kept, { path, prior }) => {
    return prior === undefined ? withoutValueAt(kept, path) : withValueAt(kept, path, prior);
  }, applied);
}
