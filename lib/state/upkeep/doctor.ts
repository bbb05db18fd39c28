import { counted } from "../../core/words.ts";
import { type Diagnostic, error, problem, warning } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { moment, momentAndAge } from "../../core/moment.ts";
import { shellQuoted } from "../../core/quote.ts";
import { isOfThePlace, StateError } from "../error.ts";
import { describeHolding, type Holding, RUNS_OR_WAS_KILLED, takeOverSeconds, takeOverText } from "../lock.ts";
import { readJournal } from "../journal.ts";
import { lastWrite } from "../trail.ts";
import { loadState } from "../load.ts";
import type { ProjectStore } from "../zone/store.ts";
import type { ZoneView } from "../zone/view.ts";
import type { Role, StateFile } from "../engine.ts";
import { isFailed, readObservations } from "../observations.ts";
import { readCopy } from "./copies.ts";
import { loadRun, readRuns } from "../runs.ts";
import { isSealFault } from "../zone/sealing/faults.ts";
import type { State, StateObject } from "../state.ts";

/** What is stored for a zone, and what is wrong with it. */
export interface Examination {
  /** One line each. */
  readonly facts: readonly string[];
  readonly findings: readonly Diagnostic[];
}

/**
 * Reads everything that is kept for a zone. Writes nothing, takes no lock, and continues past unreadable parts; but
 * throws `StateError` if the place itself cannot be read. `others` examine records that are kept beside the state and
 * do not belong to it.
 */
export async function examine(
  store: ProjectStore,
  zone: ZoneId,
  now: number,
  others: readonly ((store: ProjectStore, zone: ZoneId) => Promise<Examination>)[] = [],
  name: string = zone,
): Promise<Examination> {
  const left = await leftBy(store, zone);
  const parts: readonly Examination[] = [
    await attempt(() => snapshot(store, zone, left)),
    await attempt(() => journal(store, zone, left)),
    await attempt(() => lock(store, zone, name, now)),
    await attempt(() => backups(store, zone)),
    await attempt(() => last(store, zone)),
    await attempt(() => runs(store, zone)),
    await attempt(() => observations(store, zone)),
    ...(await Promise.all(others.map((look) => attempt(() => look(store, zone))))),
    await attempt(() => files(store, zone)),
    await attempt(() => sizeAndAge(store, zone, now)),
  ];
  return { facts: parts.flatMap(({ facts }) => facts), findings: distinct(parts.flatMap(({ findings }) => findings)) };
}

/**
 * Several checks find the same damage; it is one finding. All parts that need a passphrase which is not set are one
 * finding too.
 */
function distinct(findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const worstFirst = [...findings.filter(isError), ...findings.filter((found) => !isError(found))];
  const [sealed] = worstFirst.filter(isSealed);
  const others = findings.filter((found) => !isSealed(found) || found === sealed);
  return [...new Map(others.map((found) => [`${found.code} ${found.message}`, found])).values()];
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

function isSealed({ code }: Diagnostic): boolean {
  return code === "state-sealed";
}

async function attempt(look: () => Promise<Examination>): Promise<Examination> {
  const found = await unlessFault(look);
  return found instanceof StateError ? { facts: [], findings: [found.diagnostic] } : found;
}

/** The result of a read, or its fault. Throws a fault of the place: then nothing can be read there. */
async function unlessFault<T>(read: () => Promise<T>): Promise<T | StateError> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof StateError && !isOfThePlace(thrown)) return thrown;
    throw thrown;
  }
}

/** Who left the unfinished changes: a run that is known to be alive, one that may be, or one that was stopped. */
type LeftBy = "running" | "unclear" | "stopped";

async function leftBy(store: ProjectStore, zone: ZoneId): Promise<LeftBy> {
  const holding = await unlessFault(() => store.holding(zone));
  if (holding instanceof StateError || !holding || holding.isAlive === false) return "stopped";
  return holding.isAlive ? "running" : "unclear";
}

async function snapshot(store: ProjectStore, zone: ZoneId, left: LeftBy): Promise<Examination> {
  const loaded = await loadState(store, zone);
  if (!loaded) return { facts: ["state: none yet"], findings: [] };
  const { objects, serial, lineage } = loaded.state;
  const facts = [
    `state: serial ${serial}, lineage ${lineage}, ${counted(objects.size, "object")}${await putBackIn(await store.view(zone), loaded.state)}`,
  ];
  const pending = [...objects].filter(([, object]) => object.pending && left === "stopped").map(([address]) => address);
  // The finding about the journal covers what a stopped run left unfinished.
  const inJournal = new Set(loaded.intents.map(({ address }) => address));
  const unanswered = [...objects].flatMap(([address, each]) =>
    inJournal.has(address) ? [] : unansweredWrite(address, each),
  );
  return { facts, findings: [...pending.map(pendingCreate), ...unanswered] };
}

/** Who put an older state back on purpose, if anyone did. */
async function putBackIn(view: ZoneView, { serial, lineage }: State): Promise<string> {
  const written = await unlessFault(() => lastWrite(view));
  if (written instanceof StateError || !written?.putBack) return "";
  if (written.serial !== serial || written.lineage !== lineage) return "";
  return `; restored by ${written.putBack.by} (from serial ${written.putBack.serial})`;
}

/** The state does not depend on this record. */
async function last(store: ProjectStore, zone: ZoneId): Promise<Examination> {
  const written = await unlessFault(async () => lastWrite(await store.view(zone)));
  return { facts: [], findings: written instanceof StateError ? [asWarning(written)] : [] };
}

function pendingCreate(address: string): Diagnostic {
  return warning(problem("open-create", { address }));
}

function unansweredWrite(address: string, { unanswered }: StateObject): readonly Diagnostic[] {
  if (!unanswered) return [];
  const { run, action } = unanswered;
  return [warning(problem("open-write", { address, run, sent: action === "delete" ? "deletion" : "change" }))];
}

async function journal(store: ProjectStore, zone: ZoneId, left: LeftBy): Promise<Examination> {
  const view = await store.view(zone);
  const found = await readJournal(view);
  if (!found) return { facts: [`journal: ${view.state ? ENDED : "none yet"}`], findings: [] };
  const unfinished = [...found.traces.values()].filter((trace) => trace.unfinished).length;
  const fact = `journal: ${counted(found.seq, "record")} on top of serial ${found.binding.baseSerial}, with ${counted(unfinished, "unfinished change")}`;
  if (left === "running") return { facts: [`${fact}; a run is writing it now`], findings: [] };
  // The finding about the lock says what to do.
  if (left === "unclear") return { facts: [`${fact}; the run that writes it ${RUNS_OR_WAS_KILLED}`], findings: [] };
  const message = `a run was stopped: its journal has ${counted(found.seq, "record")}, with ${counted(unfinished, "unfinished change")}`;
  return { facts: [fact], findings: [warning(problem("journal-left", { message }))] };
}

const ENDED = "empty, the last run ended normally";

async function lock(store: ProjectStore, zone: ZoneId, name: string, now: number): Promise<Examination> {
  const holding = await store.holding(zone);
  if (!holding) return { facts: ["lock: free"], findings: [] };
  const facts = [`lock: ${describeHolding(holding, now)}`];
  if (holding.isAlive === true) return { facts, findings: [] };
  return { facts, findings: [warning({ code: "lock-held", ...lockedTooLong(holding, name) })] };
}

/** A lock whose holder is dead or may be. */
function lockedTooLong(holding: Holding, name: string): Pick<Diagnostic, "message" | "remedy" | "commands"> {
  const { isAlive, renewal, unlockId } = holding;
  if (isAlive === false)
    return { message: "a run that was killed left the lock", remedy: `nothing to do: ${takeOverText(holding)}` };
  const message = `the run that holds the lock ${RUNS_OR_WAS_KILLED}`;
  const zone = `--zone ${shellQuoted(name)}`;
  if (renewal)
    return {
      message,
      remedy: `if it is gone, ${takeOverText(holding)}:`,
      commands: [`zoneform apply ${zone} --lock-timeout ${takeOverSeconds(renewal)}`],
    };
  if (unlockId === undefined)
    return {
      message,
      remedy:
        "make sure that it is gone, then unlock the state on the server's page: the server does not say whose lock it is",
    };
  return {
    message,
    remedy: "make sure that it is gone, then unlock the state:",
    commands: [`zoneform state unlock ${shellQuoted(unlockId)} ${zone}`],
  };
}

async function backups(store: ProjectStore, zone: ZoneId): Promise<Examination> {
  const whole: string[] = [];
  const findings: Diagnostic[] = [];
  const view = await store.view(zone);
  for (const serial of view.backups) {
    const state = await readCopy(view, serial);
    if (!(state instanceof StateError)) whole.push(`serial ${serial} (${counted(state.objects.size, "object")})`);
    else findings.push(isSealFault(state) ? asWarning(state) : damagedBackup(serial));
  }
  return { facts: [`earlier copies: ${whole.length === 0 ? "none" : whole.join(", ")}`], findings };
}

/** It cannot be read with this passphrase, but another one may open it. */
function asWarning({ diagnostic }: StateError): Diagnostic {
  return { ...diagnostic, severity: "warning" };
}

function damagedBackup(serial: number): Diagnostic {
  return warning(problem("backup-damaged", { serial }));
}

/** The state does not depend on a record; without it, only this one run cannot be undone. */
async function runs(store: ProjectStore, zone: ZoneId): Promise<Examination> {
  const view = await store.view(zone);
  const { headers, faults } = await readRuns(view);
  const findings: Diagnostic[] = [];
  for (const { run } of headers) {
    const record = await unlessFault(() => loadRun(view, run));
    if (record instanceof StateError) findings.push(asWarning(record));
  }
  findings.push(...faults.filter(isSealFault).map(asWarning));
  const damaged = faults.filter((fault) => !isSealFault(fault)).length;
  if (damaged > 0) findings.push(headless(damaged));
  return { facts: [`runs that can be undone: ${headers.length}`], findings };
}

function headless(count: number): Diagnostic {
  const message = `${counted(count, "record")} of runs cannot be read`;
  const remedy = "those runs cannot be undone; nothing else depends on their records";
  return warning(problem("run-damaged", { message }, { remedy }));
}

async function observations(store: ProjectStore, zone: ZoneId): Promise<Examination> {
  const { byId, checks, findings } = await readObservations(store, zone);
  const hostnames = counted(byId.size, "hostname");
  const last = checks.findLast((check) => !isFailed(check));
  return {
    facts: [
      ...(byId.size === 0 ? [] : [`hostnames seen by drift and status: ${hostnames}`]),
      ...(last ? [`last checked for drift: ${moment(last.at)}`] : []),
    ],
    findings,
  };
}

/** How much is kept, who wrote last, and how far back runs can be undone. */
async function sizeAndAge(store: ProjectStore, zone: ZoneId, now: number): Promise<Examination> {
  const found = (await store.files(zone)).filter(({ role }) => role !== "lock");
  const sizes = new Map<Role, number>();
  for (const { role, sizeBytes } of found) sizes.set(role, (sizes.get(role) ?? 0) + sizeBytes);
  const parts = [...sizes].map(([role, bytes]) => `${SIZE_WORDS[role]} ${kilobytes(bytes)}`).join(", ");
  const all = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  const view = await store.view(zone);
  const holder = view.taken?.holder;
  const oldest = (await readRuns(view)).headers.at(-1);
  return {
    facts: [
      ...(found.length === 0 ? [] : [`size: ${kilobytes(all)} (${parts})`]),
      ...(holder ? [`last locked: by ${holder.who} (${holder.operation}) at ${momentAndAge(holder.since, now)}`] : []),
      ...(oldest ? [`oldest run that can be undone: ${momentAndAge(oldest.ended, now)}`] : []),
    ],
    findings: [],
  };
}

const SIZE_WORDS = {
  state: "state",
  journal: "journal",
  backup: "earlier copies",
  record: "records",
  observations: "hostnames seen",
  temporary: "temporary files",
  lock: "lock",
  "set-aside": "copies set aside",
  unknown: "other files",
} as const satisfies Record<Role, string>;

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

async function files(store: ProjectStore, zone: ZoneId): Promise<Examination> {
  const found = await store.files(zone);
  const findings = [...(await store.warnings(zone)), ...found.flatMap((file) => strange(zone, file) ?? [])];
  return { facts: [], findings };
}

function strange(zone: ZoneId, { role, path, copy, mode }: StateFile): Diagnostic | undefined {
  const mayBeWritten = (mode & 0o200) !== 0;
  if ((role === "state" || role === "journal" || role === "lock") && !mayBeWritten)
    return error(problem("state-read-only", { what: path, path }));
  if (role === "temporary") return warning(problem("temporary-left", { path }));
  if (copy !== undefined) return setAside(zone, path, copy);
  if (role === "unknown") return warning(problem("unknown-file", { path }));
  return undefined;
}

function setAside(zone: ZoneId, path: string, name: string): Diagnostic {
  return warning(problem("set-aside", { path, zone, copy: shellQuoted(name) }));
}
