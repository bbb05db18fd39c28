import type { Diagnostic } from "../core/diagnostic.ts";
import { type JsonObject, leaves, withValueAt } from "../core/json.ts";
import { attemptNeeds } from "../plan/attempt.ts";
import type { Change } from "../plan/change.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Client } from "../service/client.ts";
import { AmbiguousError } from "../service/errors.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { StartOver } from "../service/fresh-write.ts";
import { AT_ONCE } from "./ahead.ts";
import { answerTo } from "./confirm.ts";
import { create, createOnce } from "./create.ts";
import { differenceFrom, reread } from "./differences.ts";
import { look } from "./look.ts";
import { addressOf, contextOf, type Performance, type Performed } from "./performance.ts";
import { preImage, remembered } from "./remember.ts";
import { type Attempt, objectionToRemoval } from "./remove.ts";
import { replaceAhead } from "./replace-ahead.ts";
import { stillAsRead } from "./still-as-read.ts";

/** Deletes an object and creates it anew, or the other way round where its kind asks for that. */
export function replace(run: Performance, change: Change): Promise<Performed> {
  const kind = kindNamed(change.kind);
  if (kind.replacement === "create-first") return replaceAhead(run, change, kind);
  const attempt = (client: Client, startOver: () => Error): Promise<Performed> =>
    deleteAndCreate(run, change, kind, { client, startOver });
  return run.client.freshly(attemptNeeds(change, kind), attempt, run.signal);
}

/** One attempt. It holds the place of the create before it deletes, so that no wait for a limit comes between. */
async function deleteAndCreate(
  run: Performance,
  change: Change,
  kind: Kind,
  { client, startOver }: Attempt,
): Promise<Performed> {
  const live = await reread(run, change, kind, client);
  const readAt = run.clock.now();
  if (!live) return createOnce(run, change, client);
  const difference = differenceFrom(run, change, kind, live);
  if (difference && difference !== "none") return { outcome: difference };
  const objection = objectionToRemoval(run, change, kind, live);
  if (objection) return { outcome: objection };
  const entry = { address: addressOf(change), action: "replace" as const };
  await run.journal.intend({ ...entry, object: remembered(run, change, undefined), before: preImage(live) });
  try {
    const again = (): Promise<Live | undefined> => reread(run, change, kind, client);
    const current = await stillAsRead(run, { live, at: readAt }, again, startOver);
    await answerTo(kind.remove(contextOf(run, client), current, change.prior));
  } catch (error) {
    if (!(error instanceof AmbiguousError)) run.journal.failed(entry);
    // With a place that is held for it: the hostname may be gone already.
    if (!(error instanceof AmbiguousError) || (await look(reread(run, change, kind, client)))) throw error;
  }
  run.journal.gone(entry);
  return createAnew(run, withCarried(change, kind, live), client);
}

/** Why a replacement that came to grief stops the run: each further one would be deleted first, and created no more. */
const STOPS = "an object was deleted to be replaced and could not be created again; others would go the same way";

/** The second half of a replacement. Not to be interrupted: until it has ended the object is missing. */
async function createAnew(interruptible: Performance, change: Change, client: Client): Promise<Performed> {
  const run = { ...interruptible, ahead: AT_ONCE, signal: undefined };
  try {
    const made = await createHere(run, change, client);
    if (made.outcome.status !== "conflict") return made;
    return { outcome: { ...made.outcome, hasWritten: "part" }, stops: STOPS };
  } catch (error) {
    if (error instanceof AmbiguousError)
      return {
        outcome: { status: "unknown", diagnostic: { ...explainFailure(error), address: change.address } },
        stops: STOPS,
      };
    return { outcome: { status: "failed", diagnostic: halfReplaced(change, error), hasWritten: true }, stops: STOPS };
  }
}

/** With the place that is held for it; where the service refuses that one, in attempts of its own. */
async function createHere(run: Performance, change: Change, client: Client): Promise<Performed> {
  try {
    return await createOnce(run, change, client);
  } catch (error) {
    if (error instanceof StartOver) return create(run, change);
    throw error;
  }
}

/** A new object starts with what the old one had that nobody owns, so that replacing loses nothing of it. */
function withCarried(change: Change, kind: Kind, live: Live): Change {
  const desired = leaves(change.desired ?? {}, (path) => kind.writeOnly.includes(path.join("."))).reduce(
    (spec: JsonObject, { path, value }) => withValueAt(spec, path, value),
    kind.declared(live),
  );
  return { ...change, sent: desired };
}

function halfReplaced(change: Change, error: unknown): Diagnostic {
  const { message, ...rest } = explainFailure(error);
  return {
    ...rest,
    address: change.address,
    message: `the old one has been deleted, and the new one could not be created: ${message}`,
  };
}
