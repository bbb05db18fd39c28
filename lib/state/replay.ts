import { defined } from "../core/defined.ts";
import { parseAddress } from "../core/address.ts";
import { editState, type StateEditor } from "./edit.ts";
import type { JournalRecord } from "./record.ts";
import type { State, StateObject } from "./state.ts";

/** What a journal says about one object: the settled result, and an unfinished intent, if any. */
export interface Trace {
  readonly settled?: StateObject | { readonly removedBy: string | undefined };
  readonly open?: JournalRecord;
}

/** By address; as large as the number of objects, however long the journal is. */
export type Traces = Map<string, Trace>;

/** Adds a record to what is known about its object. */
export function note(traces: Traces, record: JournalRecord): void {
  if (record.kind === "done" && record.from !== undefined)
    traces.set(record.from, { settled: { removedBy: undefined } });
  const { settled } = traces.get(record.address) ?? {};
  const next = record.kind === "intent" ? settled : settle(record, settled);
  traces.set(record.address, {
    ...defined({ settled: next }),
    ...(record.kind === "intent" ? { open: record } : {}),
  });
}

function settle(record: JournalRecord, settled: Trace["settled"]): Trace["settled"] {
  if (record.kind === "gone") return { removedBy: record.action === "update" ? undefined : record.run };
  if (record.kind !== "done") return settled;
  if (record.action === "delete" || record.action === "forget") return { removedBy: record.run };
  return record.object ?? settled;
}

/**
 * The state after a journal. An unfinished create becomes a pending object: its response was lost, so an object under
 * its key is ours, and absence from a list proves nothing. After an unfinished update or delete the state still has the
 * object's id, with what was sent beside what was applied; live decides. Two things count as applied at once: a step
 * that cannot be undone, and protection.
 */
export function applyTraces(state: State, traces: Traces): State {
  const editor = editState(state);
  for (const [address, trace] of traces) {
    if (trace.settled && "removedBy" in trace.settled) editor.delete(address, trace.settled.removedBy);
    else if (trace.settled) editor.set(address, trace.settled);
    if (trace.open) keepOpen(editor, trace.open);
  }
  return editor.toState();
}

function keepOpen(editor: StateEditor, intent: JournalRecord): void {
  if (intent.action === "update" && intent.object?.asked !== undefined) editor.set(intent.address, intent.object);
  if (intent.action === "update" && intent.object?.protect) keepProtected(editor, intent.address);
  if (intent.action === "update" || intent.action === "delete") keepUnanswered(editor, intent);
  if (intent.action !== "create" && intent.action !== "replace") return;
  const known = editor.get(intent.address);
  // If the responses of several creates were lost, the last create says what was sent.
  const isOpen = known?.pending === "create" && known.id === "";
  const kept = isOpen || !known ? (intended(intent) ?? known) : known;
  if (kept) editor.set(intent.address, { ...kept, pending: "create", since: intent.at });
}

/** Live does not show protection, and too much of it does no harm. */
function keepProtected(editor: StateEditor, address: string): void {
  const known = editor.get(address);
  if (known) editor.set(address, { ...known, protect: true });
}

/** An untracked object stays untracked: it was never ours. */
function keepUnanswered(editor: StateEditor, { address, action, run, object }: JournalRecord): void {
  const known = editor.get(address);
  if (!known) return;
  if (action === "delete") editor.set(address, { ...known, unanswered: { run, action } });
  else if (action === "update" && object) {
    const { applied: sent, by } = object;
    editor.set(address, { ...known, unanswered: { run, action, sent, ...defined({ by }) } });
  }
}

function intended(intent: JournalRecord): StateObject | undefined {
  if (intent.object) return { ...intent.object, id: "" };
  const parts = parseAddress(intent.address);
  return parts && { kind: parts.kind, key: parts.key ?? "", id: "", applied: {} };
}
