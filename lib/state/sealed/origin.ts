import { createHash } from "node:crypto";

/**
 * Which state a sealed line belongs to, and under which lock it was written. It stands in the clear before the line,
 * and the line opens only with it.
 */
export interface Origin {
  /** A short digest of the state's lineage, because that stays hidden; `-` if there was no state yet. */
  readonly lineage: string;
  /** The fence of the lease, which rises with each holder. */
  readonly epoch: number;
}

/** 72 bits, in Base64 for URLs: two lineages never share them by chance. */
const LINEAGE_CHARACTERS = 12;
const NO_LINEAGE = "-";

const WRITTEN = /^(\d{1,15})\.([A-Za-z0-9_-]{12}|-)\./;

/** The origin of what the holder of a lease writes to the state of that lineage. */
export function originOf(lineage: string | undefined, epoch: number): Origin {
  if (lineage === undefined) return { lineage: NO_LINEAGE, epoch };
  return { lineage: createHash("sha256").update(lineage).digest("base64url").slice(0, LINEAGE_CHARACTERS), epoch };
}

/** How it stands before a line. */
export function writtenOrigin({ epoch, lineage }: Origin): string {
  return `${epoch}.${lineage}.`;
}

/** How a place says it, for what the line is bound to. */
export function boundOrigin({ epoch, lineage }: Origin): string {
  return ` lineage ${lineage} epoch ${epoch}`;
}

/** A line without its origin, and the origin, if it begins with one. */
export function splitOrigin(line: string): { readonly origin: Origin | undefined; readonly rest: string } {
  const [all = "", epoch, lineage] = WRITTEN.exec(line) ?? [];
  if (epoch === undefined || lineage === undefined) return { origin: undefined, rest: line };
  return { origin: { lineage, epoch: Number(epoch) }, rest: line.slice(all.length) };
}

/** Whether one part can have both lines, the second after the first. A journal may be continued by a later holder. */
export function isContinued(isJournal: boolean, before: Origin, next: Origin): boolean {
  if (next.lineage !== before.lineage) return false;
  return isJournal ? next.epoch >= before.epoch : next.epoch === before.epoch;
}
