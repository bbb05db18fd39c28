import type { ZoneId } from "../../core/brand.ts";
import { isCopyName } from "../copy-name.ts";
import type { Role } from "../upkeep.ts";

/** Where the files of a zone's state are. */
export interface Paths {
  readonly state: string;
  readonly journal: string;
  readonly lock: string;
  /** The snapshot that had this serial. */
  readonly backup: (serial: number) => string;
  readonly kept: (name: string) => string;
  /** A copy that was set aside. */
  readonly copy: (name: string) => string;
  readonly observations: (number: number) => string;
  readonly temporary: (unique: string) => string;
}

/** The paths of a zone in a folder. */
export function paths(folder: string, zone: ZoneId): Paths {
  const base = `${folder}/${zone}`;
  return {
    state: `${base}.state`,
    journal: `${base}.journal`,
    lock: `${base}.lock`,
    backup: (serial) => `${base}.state.backup-${serial}`,
    kept: (name) => `${base}.kept-${name}`,
    copy: (name) => `${base}.${name}`,
    observations: (number) => `${base}.observations-${number}`,
    temporary: (unique) => `${base}.temporary-${unique}`,
  };
}

/** The purpose of a file, from the part of its name after the zone's id. */
export function roleOf(rest: string): Role {
  if (rest === ".state") return "state";
  if (rest === ".journal") return "journal";
  if (rest === ".lock") return "lock";
  if (rest.startsWith(".kept-")) return "record";
  if (/^\.observations-[1-9]\d{0,14}$/.test(rest)) return "observations";
  if (rest.startsWith(".temporary-")) return "temporary";
  if (/^\.state\.backup-\d+$/.test(rest)) return "backup";
  return isCopyName(rest.slice(1)) ? "set-aside" : "unknown";
}
