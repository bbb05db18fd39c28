import type { ZoneId } from "../../core/brand.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { decodeState } from "../codec.ts";
import { withRemedy } from "./damage.ts";
import { StateError } from "../error.ts";
import { parse } from "../journal.ts";
import type { Upkeep } from "../upkeep.ts";
import { isSealFault, SET_PASSPHRASE } from "../sealed/faults.ts";
import type { State } from "../state.ts";

/**
 * The newest undamaged earlier snapshot; undefined if there is none. Throws `StateError` if a newer one may be
 * undamaged for somebody with its passphrase: an older one never replaces it.
 */
export async function newestWhole(store: Upkeep, zone: ZoneId): Promise<State | undefined> {
  for (const serial of await store.backups(zone)) {
    const state = await readBackup(store, zone, serial);
    if (!(state instanceof StateError)) return state;
    if (isSealFault(state)) throw withRemedy(state, remedyOf(state));
  }
  return undefined;
}

const OPEN_COPY =
  "set ZONEFORM_STATE_PASSPHRASE, or ZONEFORM_STATE_PASSPHRASE_PREVIOUS, to the passphrase that it was written with";

function remedyOf({ diagnostic: { code } }: StateError): string {
  if (code === "state-sealed") return SET_PASSPHRASE;
  const trusted = "if you trust it: ZONEFORM_STATE_PLAIN=accept zoneform state repair --from backup";
  return `${code === "state-not-sealed" ? trusted : OPEN_COPY}; or move it elsewhere to use an older copy`;
}

/** An earlier snapshot, or why it cannot be read. */
export async function readBackup(store: Upkeep, zone: ZoneId, serial: number): Promise<State | StateError> {
  try {
    return await decodeState(store.backup(zone, serial), `backup-${serial}`, zone);
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
}

/** What a backup does not know, as far as the damaged snapshot still tells, in sentences. */
export async function findLoss(store: Upkeep, zone: ZoneId, backup: State): Promise<readonly string[]> {
  let [read, unread, missing, other] = [0, 0, 0, 0];
  for await (const line of store.looseLines(zone, "state")) {
    const object = objectIn(line);
    if (!object) unread += Number(parse(line) === undefined);
    if (!object) continue;
    read += 1;
    const known = backup.objects.get(object.address);
    if (!known) missing += 1;
    else if (known.id !== object.id) other += 1;
  }
  return [
    ...(read === 0 ? [NOTHING_READ] : []),
    ...(missing > 0 ? [missingObjects(missing)] : []),
    ...(read > 0 && unread > 0 ? [unreadLines(unread)] : []),
    ...(other > 0
      ? [
          `${other === 1 ? "1 object was" : `${other} objects were`} replaced since: the next plan finds what is live now by name`,
        ]
      : []),
    "protection and values that were applied since then are lost too; the next plan shows them as changes",
  ];
}

const NOTHING_READ =
  "the damaged state cannot be read, so it is not known which objects the copy lacks: declared ones are adopted again by name";

function missingObjects(count: number): string {
  const objects = count === 1 ? "1 object" : `${count} objects`;
  return `${objects} that the damaged state still names ${count === 1 ? "is" : "are"} not in it: what the YAML declares is adopted again by name`;
}

function unreadLines(count: number): string {
  const lines = count === 1 ? "1 line" : `${count} lines`;
  return `${lines} of the damaged state cannot be read: objects in them may be missing too`;
}

function objectIn(line: string): { address: string; id: string } | undefined {
  const value: JsonObject | undefined = parse(line);
  const [address, id] = [value?.["address"], value?.["id"]];
  return typeof address === "string" && typeof id === "string" ? { address, id } : undefined;
}

/** The serial in the snapshot's first line, damaged or not; 0 if there is none. */
export async function serialIn(store: Upkeep, zone: ZoneId): Promise<number> {
  for await (const line of store.looseLines(zone, "state")) {
    const header = parse(line);
    const serial = isObject(header) ? header["serial"] : undefined;
    return typeof serial === "number" && Number.isSafeInteger(serial) && serial > 0 ? serial : 0;
  }
  return 0;
}
