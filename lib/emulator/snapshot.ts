import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { CertificatePack, CustomCertificate, CustomCsr, Notice } from "./certificates/certificate.ts";
import type { Core } from "./core.ts";
import type { CustomHostname } from "./custom-hostnames/custom-hostname.ts";
import { createIds } from "./ids.ts";
import { isObject } from "./json.ts";
import { rearm } from "./lifecycle.ts";
import type { Ruleset } from "./rulesets/ruleset.ts";
import {
  type Account,
  type AccountCollection,
  type DnsRecord,
  emptyAccount,
  emptyZone,
  type ListOperation,
  type RulesList,
  type Token,
  type Zone,
  type ZoneCollection,
} from "./store.ts";
import type { DnsAnswer, Traffic } from "./world.ts";

/** An account as plain data. A file of an earlier version has no rulesets and no lists. */
type AccountSnapshot = Omit<Account, AccountCollection> & {
  readonly rulesets?: readonly Ruleset[];
  readonly lists?: readonly RulesList[];
  readonly operations?: readonly ListOperation[];
};

/** A zone as plain data. */
type ZoneSnapshot = Omit<Zone, ZoneCollection> & {
  readonly hostnames: readonly CustomHostname[];
  readonly records: readonly DnsRecord[];
  readonly rulesets: readonly Ruleset[];
  readonly packs: readonly CertificatePack[];
  readonly uploads: readonly CustomCertificate[];
};

/** The whole store as plain data, without the counts of the limiters. */
export interface Snapshot {
  readonly version: 1;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The state of the generator of ids. */
  readonly ids: readonly number[];
  readonly accounts: readonly AccountSnapshot[];
  readonly tokens: readonly Token[];
  readonly zones: readonly ZoneSnapshot[];
  readonly csrs: readonly CustomCsr[];
  readonly notices: readonly Notice[];
  readonly world: {
    readonly dns: readonly (readonly [string, DnsAnswer])[];
    readonly http: readonly (readonly [string, string])[];
    readonly traffic: readonly (readonly [string, Traffic])[];
  };
}

/** A snapshot of the service. It shares its objects with the store, so write it out before the next request. */
export function snapshot(core: Core): Snapshot {
  return {
    version: 1,
    now: core.clock.now(),
    ids: core.ids.state(),
    accounts: [...core.store.accounts.values()].map(accountSnapshot),
    tokens: [...core.store.tokens.values()],
    zones: [...core.store.zones.values()].map(zoneSnapshot),
    csrs: [...core.store.csrs.values()],
    notices: [...core.store.notices.values()],
    world: { dns: [...core.world.dns], http: [...core.world.http], traffic: [...core.world.traffic] },
  };
}

function accountSnapshot({ history: _history, rulesets, lists, operations, ...rest }: Account): AccountSnapshot {
  return {
    ...rest,
    rulesets: [...rulesets.values()],
    lists: [...lists.values()],
    operations: [...operations.values()],
  };
}

/** The zone without the histories of its lists. */
function zoneSnapshot(zone: Zone): ZoneSnapshot {
  const { histories: _histories, ...rest } = zone;
  return {
    ...rest,
    hostnames: [...zone.hostnames.all()],
    records: [...zone.records.values()],
    rulesets: [...zone.rulesets.values()],
    packs: [...zone.packs.values()],
    uploads: [...zone.uploads.values()],
  };
}

/** Puts a snapshot into an empty store. */
export function restore(core: Core, from: Snapshot): void {
  core.ids = createIds(0, from.ids);
  for (const account of from.accounts) core.store.accounts.set(account.id, restoreAccount(account));
  for (const token of from.tokens) core.store.tokens.set(token.value, token);
  for (const zone of from.zones) core.store.zones.set(zone.id, restoreZone(zone));
  for (const [name, answer] of from.world.dns) core.world.dns.set(name, answer);
  for (const csr of from.csrs) core.store.csrs.set(csr.id, csr);
  for (const notice of from.notices) core.store.notices.set(notice.id, notice);
  for (const [url, body] of from.world.http) core.world.http.set(url, body);
  for (const [name, traffic] of from.world.traffic) core.world.traffic.set(name, traffic);
  rearm(core);
}

/** Parses a snapshot. Throws for a text that is not one. */
function parseSnapshot(text: string): Snapshot {
  const value: unknown = JSON.parse(text);
  if (!isSnapshot(value)) throw new TypeError("not a snapshot of version 1");
  return value;
}

/** Checks only the version, because nobody but the emulator writes snapshots. */
function isSnapshot(value: unknown): value is Snapshot {
  return isObject(value) && value["version"] === 1;
}

function restoreAccount({ rulesets = [], lists = [], operations = [], ...rest }: AccountSnapshot): Account {
  const account = emptyAccount(rest);
  for (const ruleset of rulesets) account.rulesets.set(ruleset.id, ruleset);
  for (const list of lists) account.lists.set(list.id, list);
  for (const operation of operations) account.operations.set(operation.id, operation);
  return account;
}

function restoreZone({ hostnames, records, rulesets, packs, uploads, ...rest }: ZoneSnapshot): Zone {
  const zone = emptyZone(rest);
  for (const record of hostnames) zone.hostnames.add(record);
  for (const record of records) zone.records.set(record.id, record);
  for (const ruleset of rulesets) zone.rulesets.set(ruleset.id, ruleset);
  for (const pack of packs) zone.packs.set(pack.id, pack);
  for (const upload of uploads) zone.uploads.set(upload.id, upload);
  return zone;
}

/** Keeps the service's snapshot in a file. */
export interface Persistence {
  /** Writes the file soon, once for all changes until then. */
  soon(): void;
  /** Writes the file now, if `soon` was called since the last time. */
  flush(): void;
}

/** How long to collect changes before writing them. */
const GATHER_MILLISECONDS = 200;

/** Thrown if the persist file holds something else. The message continues a sentence that begins with the file's name. */
export class PersistFileError extends Error {
  constructor(options: ErrorOptions) {
    super("is not a file that this version of the emulator wrote", options);
    this.name = "PersistFileError";
  }
}

/** The snapshot in the file; undefined if the file does not exist. Throws a PersistFileError if the file is not a snapshot. */
export function readSnapshot(file: string): Snapshot | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  try {
    return parseSnapshot(text);
  } catch (cause) {
    throw new PersistFileError({ cause });
  }
}

/** Writes the snapshot that `take` returns: beside the file, then renamed over it, so that a crash leaves the old file whole. */
export function createPersistence(file: string, take: () => Snapshot): Persistence {
  let waiting: NodeJS.Timeout | undefined;
  const flush = (): void => {
    if (waiting === undefined) return;
    clearTimeout(waiting);
    waiting = undefined;
    // Removed first, because it may be a link to another file.
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, JSON.stringify(take()), { mode: 0o600, flag: "wx" });
    renameSync(`${file}.new`, file);
  };
  return {
    flush,
    soon: () => {
      waiting ??= setTimeout(flush, GATHER_MILLISECONDS).unref();
    },
  };
}
