/** What tells a process from every other one, on this machine and elsewhere. Empty texts: not to be known here. */
export interface ProcessMark {
  readonly host: string;
  /** Changes with each start of the machine. */
  readonly bootId: string;
  /** Process ids mean something only inside the namespace that gave them. */
  readonly pidNamespace: string;
  readonly pid: number;
  /** When the process started, in the system's own units: ids are given again, this is not. */
  readonly startTime: string;
}

/** This process, and what it can find out about others of its machine. */
export interface Identity extends ProcessMark {
  /** Whether the process with this id that started then still lives; undefined where that cannot be told. */
  isAlive(pid: number, startTime: string): boolean | undefined;
}

/**
 * Whether the marked process lives, as far as it can be told from here: only a process of the same host, the same boot
 * and the same namespace can be looked for. Anything else stays undefined, and counts as alive for everyone who asks.
 */
export function isAlive(mark: ProcessMark, here: Identity): boolean | undefined {
  const isComparable =
    isSame(mark.host, here.host) &&
    isSame(mark.bootId, here.bootId) &&
    isSame(mark.pidNamespace, here.pidNamespace) &&
    mark.startTime !== "";
  return isComparable ? here.isAlive(mark.pid, mark.startTime) : undefined;
}

function isSame(left: string, right: string): boolean {
  return left !== "" && left === right;
}
