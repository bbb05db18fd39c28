import { defined } from "../core/defined.ts";
import { type JsonObject, withOptionalValueAt } from "../core/json.ts";
import { appliedByRun } from "../plan/digest.ts";
import type { Change } from "../plan/change.ts";
import { seenOf } from "../plan/seen.ts";
import { certificateFingerprint, uploadedFingerprints } from "../kinds/custom-hostname/upload.ts";
import { isUpload } from "../kinds/custom-hostname/served.ts";
import type { Live } from "../kinds/live.ts";
import { serviceMoment } from "../service/client.ts";
import type { PreImage } from "../state/record.ts";
import type { StateObject } from "../state/state.ts";
import type { Attempt } from "./attempt.ts";
import type { Performed } from "./outcome.ts";

/** What to add about a change that worked. */
export interface Remarks {
  /** For the report. */
  readonly note?: string | undefined;
  readonly wasSo?: true;
  /** For the state: when a step was sent that has not taken effect yet. */
  readonly asked?: string | undefined;
}

/** Nothing had to be sent: another run or a person did it before. */
export const SO_ALREADY: Remarks = { note: "was already so", wasSo: true };

/** Records that a change worked, with the service's response. */
export function recordDone(attempt: Attempt, live: Live, { note, wasSo, asked }: Remarks = {}): Performed {
  const { address, change, journal } = attempt;
  const action = change.action === "create" || change.action === "replace" ? change.action : "update";
  journal.done({ address, action, object: makeStateObject(attempt, live, asked) });
  return { outcome: { status: "done", ...defined({ note, wasSo }) }, id: live.id };
}

/** The object before a write, for `zoneform undo`. */
export function preImage({ id, values }: Live): PreImage {
  return { id, values };
}

/**
 * What the state keeps of the object after this change. Held fields were not sent, so they keep the last applied value.
 * A step that has not taken effect yet has used no approval: it may be sent once more.
 */
export function makeStateObject(attempt: Attempt, live: Live | undefined, asked?: string): StateObject {
  const { before, change, client, clock, desired, known, run } = attempt;
  const now = new Date(serviceMoment(client, clock)).toISOString();
  const by = known.by(attempt.address);
  return {
    kind: change.kind,
    key: change.key,
    id: live?.id ?? change.id ?? "",
    ...defined({ by: asked === undefined ? appliedByRun(change, by, run) : by, asked }),
    applied: withoutHeld(change, desired()),
    ...((known.isStale && before ? before.protect : change.protect) ? { protect: true as const } : {}),
    ...(live ? seenOf(live, before, now) : seenBefore(change, before)),
    ...(change.undeclared ? { undeclared: true as const } : {}),
    ...uploadedBy(attempt),
  };
}

/** While an upload is held, the previous one stays. */
function uploadedBy({ change, before, reveal }: Attempt): Pick<StateObject, "uploaded"> {
  const isWaiting = change.held?.leaves.some(({ path }) => isUpload(path)) === true;
  const uploaded = isWaiting
    ? before?.uploaded
    : uploadedFingerprints(change.desired ?? {}, (reference) => certificateFingerprint(reveal(reference)));
  return uploaded ? { uploaded } : {};
}

/** If nothing was re-read, the plan's status counts, else the state's. */
function seenBefore(change: Change, before: StateObject | undefined): Pick<StateObject, "seen"> {
  const seen = change.seen ?? before?.seen;
  return seen ? { seen } : {};
}

function withoutHeld(change: Change, applied: JsonObject): JsonObject {
  return (change.held?.leaves ?? []).reduce((kept, { path, prior }) => withOptionalValueAt(kept, path, prior), applied);
}
