import { KEPT_BACKUPS } from "../kept-backups.ts";
import { replacedMeanwhile } from "../replaced.ts";
import type { StateStore } from "../store.ts";
import { linesOfBody } from "./bodies.ts";
import { type Body, type Head, keysOf } from "./head.ts";
import { type Place, sessionOf } from "./place.ts";
import { readHead } from "./stored-head.ts";

/** The snapshots of a project. */
export function snapshots(place: Place, project: string): Pick<StateStore, "read" | "write"> {
  return {
    read: async (zone) => {
      const keys = keysOf(project, zone);
      const snapshot = (await readHead(place, keys))?.snapshot;
      return snapshot && { version: snapshot.sha256, lines: linesOfBody(place, keys, snapshot) };
    },

    write: async (zone, lease, expected, lines) => {
      const session = sessionOf(place, project, zone, lease);
      // Before the lines are sent, because that may take long.
      await session.checkHeld();
      checkExpected(session.head(), expected);
      const body = await session.stage(lines);
      await session.withJournal(() =>
        session.change((head) => {
          checkExpected(head, expected);
          return published(head, body, session.newName());
        }),
      );
      return body.sha256;
    },
  };
}

function checkExpected({ snapshot }: Head, expected: string | undefined): void {
  if (snapshot?.sha256 !== expected) throw replacedMeanwhile();
}

/** In one step: the new snapshot, the old one as a backup, the highest serial, an empty journal. */
function published(head: Head, body: Body, journal: string): Head {
  const old = head.snapshot;
  const backups = old ? [old, ...head.backups.filter(({ serial }) => serial !== old.serial)] : head.backups;
  return {
    ...head,
    snapshot: body,
    serial: Math.max(head.serial, body.serial),
    backups: backups.toSorted((left, right) => right.serial - left.serial).slice(0, KEPT_BACKUPS),
    journal: { name: journal, segments: 0 },
  };
}
