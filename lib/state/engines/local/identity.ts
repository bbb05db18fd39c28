/**
 * Distinguishes a process from every other one, here and on other machines. A text is empty if this machine does not
 * know it.
 */
export interface ProcessMark {
  readonly host: string;
  /** Changes each time the machine starts. */
  readonly bootId: string;
  /** Process ids are unique only within the namespace that gave them. */
  readonly pidNamespace: string;
  readonly pid: number;
  /** When the process started, in the system's own units: process ids are reused, start times are not. */
  readonly startTime: string;
}

/** This process, and what it can find out about others on its machine. */
export interface Identity extends ProcessMark {
  /** Whether the process with this id and start time still lives; undefined if that cannot be told. */
  isAlive(pid: number, startTime: string): boolean | undefined;
}

/**
 * Whether the marked process lives, as far as this process can tell: it can only look up processes of the same host,
 * boot and namespace. Any other is undefined, and callers treat it as alive.
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
