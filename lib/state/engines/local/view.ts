import { topOf } from "../../../core/diagnostic.ts";
import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { type Entry, JOURNAL, STATE, type View } from "../../engine.ts";
import { Outdated } from "../../error.ts";
import { roleOf } from "../../zone/view.ts";
import { checkFolders, firstLine, journalsIn, namesOf, type ZonePlace } from "./place.ts";
import { guard, guarded } from "./failure.ts";
import { linesOf, looseLines, readTail, type Subject } from "./lines.ts";

const OF_JOURNAL: Subject = { name: "the journal", damage: "journal-damaged" };
const OF_RECORD: Subject = { name: "the record", damage: "record-damaged" };

/**
 * The view of a zone. Files cannot all be read at one moment, so the state is read last: any file that records how new
 * the state has to be was written after a state that is at least as new. The first line of the journal identifies the
 * journal.
 */
export async function viewOf(at: ZonePlace): Promise<View> {
  const { folder, lock } = at;
  await checkFolders(at);
  const taken = await lock.taken();
  return guard(folder, "read", async () => {
    const names = (await namesOf(at)).filter((name) => name !== STATE && roleOf({ name }).role !== "unknown");
    const others = await Promise.all(names.map((name) => at.entry(name)));
    const journal = await journalIn(at);
    const entries = [...others, await at.entry(STATE)];
    const isEmpty = journal === "" ? ({ isJournalEmpty: true } as const) : {};
    return { entries: entries.filter((entry) => entry !== undefined), journal, ...isEmpty, taken };
  });
}

/** The name of a journal that begins with these bytes; no bytes have no name. */
function nameOf(piece: Uint8Array): string {
  return `${firstLine(piece)}\n`;
}

async function journalIn(at: ZonePlace): Promise<string> {
  for (;;) {
    const last = (await journalsIn(at)).at(-1);
    if (!last) return "";
    try {
      for await (const piece of at.fs.stream(last.path)) return nameOf(piece);
      return "";
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      // The journal cannot be read, and reading its lines reports that. Or it is gone: its holder ended it, or the next
      // holder continues a copy.
      if (errorCode(error) !== "ENOENT") return "?";
    }
  }
}

/** The lines of an entry. Throws `Outdated` if its file was replaced. */
export async function* bodyOf({ fs, pathOf }: ZonePlace, entry: Entry): AsyncIterable<string> {
  const { name, tag, start, isWhole } = entry;
  if (isWhole) {
    yield* start;
    return;
  }
  const path = pathOf(name);
  const isSame = async (): Promise<boolean> => (await fs.stat(path))?.version === tag;
  const subject = roleOf({ name }).role === "record" ? OF_RECORD : undefined;
  yield* guarded(path, linesOf(unlessReplaced(fs, path, isSame), path, "keep", subject));
}

/** The lines of the journal that the view names. Throws `Outdated` if it was removed or replaced. */
export async function* journalOf(at: ZonePlace, { journal }: View): AsyncIterable<string> {
  if (journal === "") return;
  const last = (await guard(at.folder, "read", () => journalsIn(at))).at(-1);
  if (!last) throw replaced(at.pathOf(JOURNAL));
  const { path } = last;
  const isSame = async (piece: Uint8Array): Promise<boolean> => nameOf(piece) === journal;
  yield* guarded(path, linesOf(unlessReplaced(at.fs, path, isSame), path, "leave out", OF_JOURNAL));
}

/** The lines of the state or the journal, whatever they hold. */
export async function* looseLinesOf(at: ZonePlace, part: typeof STATE | typeof JOURNAL): AsyncIterable<string> {
  const path = await fileOf(at, part);
  yield* guarded(path, looseLines(at.fs, path));
}

/** The text after the last line end of the journal. */
export async function tailOf(at: ZonePlace): Promise<string> {
  const path = await fileOf(at, JOURNAL);
  return guard(path, "read", () => readTail(at.fs, path));
}

async function fileOf(at: ZonePlace, part: typeof STATE | typeof JOURNAL): Promise<string> {
  const last = part === JOURNAL ? (await guard(at.folder, "read", () => journalsIn(at))).at(-1) : undefined;
  return last?.path ?? at.pathOf(part);
}

/** The bytes of a file, unless `isSame` rejects its first bytes once the file is open. */
async function* unlessReplaced(
  fs: FileSystem,
  path: string,
  isSame: (first: Uint8Array) => Promise<boolean>,
): AsyncIterable<Uint8Array> {
  let isChecked = false;
  try {
    for await (const piece of fs.stream(path)) {
      if (!isChecked && !(await isSame(piece))) throw replaced(path);
      isChecked = true;
      yield piece;
    }
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? replaced(path) : error;
  }
}

function replaced(path: string): Outdated {
  return new Outdated({
    code: "state-disk",
    message: "the state cannot be read: another run replaces it again and again",
    remedy: "run it again when that run has ended",
    at: topOf(path),
  });
}
