import { StateError } from "../../lib/state/error.ts";
import { auditedState } from "./audit.ts";
import { diceOf } from "./dice.ts";
import type { Stage } from "./engine-run.ts";
import { journalIn } from "./shelf.ts";
import { stateHeader } from "./vault.ts";

const LINE_END = 10;

/**
 * What somebody could do to the files now, and the next process has to notice: an earlier copy in place of the state,
 * and a flipped bit in the journal's last record. The files stay as they are.
 */
export async function judgeTraces(stage: Stage): Promise<void> {
  await judgeEarlierCopies(stage);
  await judgeLastRecord(stage);
}

function filesOf({ machine, service, shelf }: Stage): readonly [state: string, journal: string] {
  const path = shelf.baseOf(service.id);
  return [`${path}.state`, journalIn(machine.disk.files().keys(), path) ?? `${path}.journal-1`];
}

async function judgeEarlierCopies(stage: Stage): Promise<void> {
  const files = stage.machine.disk.files();
  const [state, journal] = filesOf(stage);
  const serial = serialOf(files.get(state)?.bytes);
  // With a journal beside it, the previous copy is the state that this journal continues: folding it again loses
  // nothing.
  if (serial === undefined || files.has(journal)) return;
  for (const [path, { bytes }] of files) {
    const earlier = path.startsWith(`${state}.backup-`) ? serialOf(bytes) : undefined;
    // A kill may have come after the write of the newest state and before anything else recorded it.
    if (earlier === undefined || earlier >= serial - 1) continue;
    if (!(await isRefused(stage, state, bytes)))
      stage.ledger.blame("I4", `the state of serial ${earlier} is believed in the place of serial ${serial}`);
  }
}

async function judgeLastRecord(stage: Stage): Promise<void> {
  const [, journal] = filesOf(stage);
  const bytes = stage.machine.disk.files().get(journal)?.bytes ?? Buffer.alloc(0);
  const end = bytes.lastIndexOf(LINE_END);
  if (end <= 0) return;
  const start = bytes.lastIndexOf(LINE_END, end - 1) + 1;
  const dice = diceOf(bytes.length);
  const damaged = Buffer.from(bytes);
  const at = start + dice.below(end - start);
  damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << dice.below(8)), at);
  if (!(await isRefused(stage, journal, damaged)))
    stage.ledger.blame("I4", `a flipped bit in the last record of the journal is not noticed`);
}

async function isRefused({ shelf, service, vault }: Stage, path: string, bytes: Buffer): Promise<boolean> {
  try {
    await auditedState(shelf, vault, service.id, { path, bytes });
    return false;
  } catch (thrown) {
    if (thrown instanceof StateError) return true;
    throw thrown;
  }
}

function serialOf(bytes: Buffer | undefined): number | undefined {
  const text = bytes?.toString("utf8") ?? "";
  const header = stateHeader(text.slice(0, text.indexOf("\n")));
  return header && Number(header["serial"]);
}
