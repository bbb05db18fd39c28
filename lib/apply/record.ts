import { defined } from "../core/defined.ts";
import { type JsonObject, withoutValueAt, withValueAt } from "../core/json.ts";
import type { Change } from "../plan/change.ts";
import { seenOf } from "../plan/seen.ts";
import { withFingerprints } from "../plan/secrets.ts";
import { certificateFingerprint, uploadedFingerprints } from "../kinds/custom-hostname/upload.ts";
import { isUpload } from "../plan/served.ts";
import type { Live } from "../kinds/live.ts";
import type { PreImage } from "../state/record.ts";
import type { StateObject } from "../state/state.ts";
import type { Attempt } from "./attempt.ts";
import { serviceMoment } from "./moment.ts";
import type { Performed } from "./outcome.ts";

/** What else there is to say of a change that worked. */
export interface Remarks {
  /** For the report. */
  readonly note?: string | undefined;
  /** For the state: when a step was sent that does not show yet. */
  readonly unseen?: Pick<StateObject, "asked"> | undefined;
}

/** Records that a change worked, with what the service answered. */
export function recordDone(attempt: Attempt, live: Live, { note, unseen }: Remarks = {}): Performed {
  const { address, change, journal } = attempt;
  const action = change.action === "create" || change.action === "replace" ? change.action : "update";
  journal.done({ address, action, object: { ...makeStateObject(attempt, live), ...unseen } });
  return { outcome: { status: "done", ...defined({ note }) }, id: live.id };
}

/** What an object was before a write, for `zoneform undo`. */
export function preImage({ id, values }: Live): PreImage {
  return { id, values };
}

/** What the state is to keep of the object after this change. What is held was not sent, so it keeps its last applied value. */
export function makeStateObject(attempt: Attempt, live: Live | undefined): StateObject {
  const { before, change, clock, fingerprintOf, kind, known, service } = attempt;
  const now = new Date(serviceMoment(service, clock)).toISOString();
  return {
    kind: change.kind,
    key: change.key,
    id: live?.id ?? change.id ?? "",
    applied: withoutHeld(change, withFingerprints(change.desired ?? {}, kind.writeOnly, fingerprintOf)),
    ...((known.isStale && before ? before.protect : change.protect) ? { protect: true as const } : {}),
    ...(live ? seenOf(live, before, now) : seenBefore(change, before)),
    ...(change.undeclared ? { undeclared: true as const } : {}),
    ...uploadedBy(attempt),
  };
}

/** Of an upload that waits, the one before it stays. */
function uploadedBy({ change, before, reveal }: Attempt): Pick<StateObject, "uploaded"> {
  const isWaiting = change.held?.leaves.some(({ path }) => isUpload(path)) === true;
  const uploaded = isWaiting
    ? before?.uploaded
    : uploadedFingerprints(change.desired ?? {}, (reference) => certificateFingerprint(reveal(reference)));
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
