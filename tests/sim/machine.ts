import type { Identity } from "../../lib/state/engines/local/generations.ts";
import type { Dice } from "./dice.ts";
import type { Owner, Scheduler } from "./scheduler.ts";
import { type CutMode, openDisk, type SimDisk } from "./sim-disk.ts";
import type { Trace } from "./trace.ts";

/** Where the state is kept. */
export const STATE_FOLDER = "/project/.zoneform";

/** When a process ends, counted in points at which it touches the world. */
export interface Ending {
  readonly at: number;
  /** `half`: in the middle of a write; at other points the same as `before`. */
  readonly moment: "before" | "half" | "after";
  /** The whole machine loses power, with this effect on what was not synced; absent: only the process is killed. */
  readonly cut?: CutMode;
}

/** A process of the machine, seen from outside. */
export interface SimProcess extends Owner {
  readonly identity: Identity;
  readonly gone: Promise<"gone">;
  /** How often it has touched the world. */
  points(): number;
  /** Ends it at once, without any output. */
  die(): void;
  /** Whether it was killed in the middle of its work, alone or with the machine. */
  wasKilled(): boolean;
  /** Stops it for a while: what it has started happens, and it learns of that when it continues. */
  hold(milliseconds: number): void;
  /**
   * An effect on the world, after a delay. The process may die with it: then the effect is complete, half done or
   * missing, and the promise stays open forever.
   */
  touch<T>(delayMilliseconds: number, act: () => T, half?: () => void): Promise<T>;
}

/** The machine that the engine runs on: a disk, and processes that come and go. */
export interface Machine {
  readonly disk: SimDisk;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  /** Starts a process. `onPoint` is called just before each point. */
  start(ending: Ending | undefined, onPoint: (point: number) => void): SimProcess;
  /** Whether several processes are running, so that the order of their reads matters. */
  isCrowded(): boolean;
  /** How often the power was cut. */
  cuts(): number;
}

/** A machine that was just switched on. */
export function openMachine(scheduler: Scheduler, trace: Trace, dice: Dice): Machine {
  const disk = openDisk("/project");
  const alive = new Map<number, () => void>();
  let boot = 1;
  let pids = 100;

  function powerCut(mode: CutMode): void {
    boot += 1;
    for (const kill of alive.values()) kill();
    disk.cut(mode, dice);
    trace.note("cut", mode);
  }

  function start(ending: Ending | undefined, onPoint: (point: number) => void): SimProcess {
    pids += 1;
    const pid = pids;
    let isDead = false;
    let wasKilled = false;
    let heldUntil = -Infinity;
    let points = 0;
    let leave: (word: "gone") => void = () => undefined;
    const gone = new Promise<"gone">((resolve) => {
      leave = resolve;
    });

    const die = (): void => {
      isDead = true;
      alive.delete(pid);
      leave("gone");
    };
    const kill = (): void => {
      wasKilled = !isDead;
      die();
    };
    const end = ({ cut }: Ending): void => {
      trace.note("end", `${pid}`);
      if (cut === undefined) kill();
      else powerCut(cut);
    };

    const touched = <T>(act: () => T, half: (() => void) | undefined): T | undefined => {
      points += 1;
      onPoint(points);
      if (ending?.at !== points) return act();
      if (ending.moment === "half") half?.();
      if (ending.moment === "after") ignoringErrors(act);
      end(ending);
      return undefined;
    };

    /** What is on its way to the disk or to the service arrives, even while the process is stopped. */
    const underWay: Owner = { isDead: () => isDead };
    const hears = (hear: () => void): void => {
      if (heldUntil > scheduler.now()) scheduler.timer(process, 0, hear);
      else hear();
    };

    const process: SimProcess = {
      identity: {
        host: "machine",
        bootId: `boot-${boot}`,
        pidNamespace: "pid:[1]",
        pid,
        startTime: `${pid}`,
        isAlive: (other) => alive.has(other),
      },
      gone,
      isDead: () => isDead,
      points: () => points,
      die,
      wasKilled: () => wasKilled,
      heldUntil: () => heldUntil,
      hold: (milliseconds) => {
        heldUntil = scheduler.now() + milliseconds;
        trace.note("stop", `${pid} ${milliseconds}`);
      },
      touch: (delay, act, half) =>
        new Promise((resolve, reject) => {
          scheduler.timer(underWay, delay, () => {
            try {
              const result = touched(act, half);
              if (!isDead && result !== undefined) hears(() => resolve(result));
            } catch (thrown) {
              if (!isDead) hears(() => reject(thrown));
            }
          });
        }),
    };
    alive.set(pid, kill);
    return process;
  }

  return { disk, scheduler, trace, start, isCrowded: () => alive.size > 1, cuts: () => boot - 1 };
}

/** A process that dies during an act never learns its result. */
function ignoringErrors(act: () => unknown): void {
  try {
    act();
  } catch {
    // The act was refused, but the process is gone.
  }
}
