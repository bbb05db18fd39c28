/** Faults of a state, and why one cannot be read, written or replaced. */
export const STATES = {
  "open-write": {
    cause: "a run sent a write of this object and saw no answer, so nobody knows yet whether it took effect",
    remedy: "apply again: the next run reads the object before it writes",
  },
  locked: { cause: "another run holds the lock of the zone's state", remedy: "wait for it, or use --lock-timeout" },
  "not-unlocked": {
    cause: "no lock was freed: none is held under that id, several are, or a run took it again meanwhile",
    remedy: "zoneform state unlock needs the whole id that the refused command printed",
  },
  "state-taken-over": {
    cause: "somebody freed the state's lock (zoneform state unlock), or replaced the state, while a run held it",
    remedy: "see that nobody else is at it, then apply again: it goes on from what is known by then",
  },
  "state-damaged": {
    cause: "the state is not what zoneform wrote",
    remedy: "put back the state and the journal that belong together; keep a copy of what is there",
  },
  "state-missing": {
    cause: "the state is missing, and the journal of an interrupted run or earlier copies are there",
    remedy:
      "put back the state, or let zoneform state repair --from backup do it; only if the zone is to start anew, remove what is there",
  },
  "state-sealed": {
    cause: "the state is encrypted, and no passphrase is set",
    remedy: "set ZONEFORM_STATE_PASSPHRASE",
  },
  "state-not-opened": {
    cause: "no line of the state can be decrypted with the passphrase that is set",
    remedy: "set ZONEFORM_STATE_PASSPHRASE to the one that it was written with",
  },
  "state-not-sealed": {
    cause: "a passphrase is set, and the state is not encrypted",
    remedy: "if it may be trusted: ZONEFORM_STATE_PLAIN=accept zoneform state encrypt",
  },
  "passphrase-missing": {
    cause: "ZONEFORM_STATE_PASSPHRASE is not set, and a state is to be encrypted with it",
    remedy: "set it; a previous passphrase alone only opens",
  },
  "passphrase-too-short": {
    cause: "the passphrase of the states is so short that it could be tried out",
    remedy: "use a long random one: openssl rand -base64 32",
  },
  "state-newer": {
    cause: "the state was written by a newer zoneform",
    remedy: "use that version of zoneform or a later one",
  },
  "state-of-another-zone": {
    cause: "the state is that of another zone",
    remedy: "put the state of the right zone there; states cannot be exchanged between zones",
  },
  "state-of-another-lineage": {
    cause: "the file that was pushed was never the same state as the stored one",
    remedy: "push a state that was pulled from here; zoneform import takes over single objects",
  },
  "state-not-newer": {
    cause: "the file that was pushed is no newer than the stored state, so something would be forgotten",
    remedy: "pull the stored state and start from that; state push --older goes back on purpose",
  },
  "state-with-open-create": {
    cause: "a run was stopped while it created an object, and the file that was pushed does not know of it",
    remedy: "let zoneform apply finish that run first",
  },
  "older-state": {
    cause:
      "an older state was put back: a later serial stands in a copy, a run's record, the last write or the lock beside it",
    remedy:
      "zoneform state repair --from backup --zone ZONE puts the newest copy back; zoneform state push --older FILE keeps the state in that file",
  },
  "zone-state-in-use": {
    cause:
      "the state that is to be removed protects objects, or a run was stopped before it saw an answer about some of them",
    remedy: "see that the zone is gone, then: zoneform state rm --zone ZONE --force",
  },
  "state-older-than-journal": {
    cause: "the state is older than the journal beside it",
    remedy: "put back the state and the journal that belong together; keep a copy of what is there",
  },
  "journal-of-another-state": {
    cause: "the journal belongs to another state",
    remedy: "put back the state and the journal that belong together; keep a copy of what is there",
  },
  "journal-damaged": {
    cause: "a line of the journal does not match its checksum, or is not what zoneform wrote",
    remedy: "zoneform state repair --zone ZONE keeps every line that is whole, and a copy of the file as it was",
  },
  "journal-without-state": {
    cause:
      "the first line of the journal is damaged and no whole state lies beside it, so that nothing says which state it belongs to",
    remedy: "move the journal elsewhere, then: zoneform state repair --from backup",
  },
  "no-backup": {
    cause: "no copy of the state is newer than the state itself",
    remedy: "zoneform state push --older FILE keeps a state that you have elsewhere",
  },
  "last-write-damaged": {
    cause: "the record of the last write of a state cannot be read, so it says nothing about the state",
    remedy: "the next apply writes it anew",
  },
  "record-damaged": {
    cause: "a record beside the state, of a run or an approval, cannot be read",
    remedy: "remove the file; the state does not rest on it",
  },
  "state-disk": {
    cause: "the system refused to read or write the state",
    remedy:
      "see what the message says of the disk, its rights or its room, then run it again: nothing is written by halves",
  },
  "state-read-only": {
    cause: "the file or the folder of the state may not be written",
    remedy: "make it writable with chmod u+w, or keep the state elsewhere",
  },
  "state-open-to-others": {
    cause: "other users of the machine may read or change the state",
    remedy: "take their rights away with chmod go=",
  },
  "no-upkeep": {
    cause: "the state is kept in a store that zoneform cannot examine or repair",
    remedy: "use the tools of the store itself",
  },
  // Findings of `zoneform state doctor`.
  "journal-left": {
    cause: "a run was stopped in the middle, and its journal says how far it got",
    remedy: "apply again: it goes on from there",
  },
  "open-create": {
    cause: "a run was stopped while it created an object, and nobody saw the answer",
    remedy: "apply again: the object is looked for by its name, so nothing is created twice",
  },
  "lock-held": {
    cause: "the lock of the state is held, by a run or by what is left of one",
    remedy: "wait for the run; if it is dead, free the lock with zoneform state unlock",
  },
  "backup-damaged": {
    cause: "an earlier copy of the state is damaged; the state itself is not",
    remedy: "nothing has to be done: newer copies push it out",
  },
  "temporary-left": {
    cause: "a run that died left a file that it was writing",
    remedy: "nothing has to be done: the next write removes it",
  },
  "set-aside": {
    cause: "a repair, or state rm --zone, kept the file as it was before",
    remedy: "remove it once nothing of it is missed",
  },
  "unknown-file": {
    cause: "a file lies among the states that zoneform does not write",
    remedy: "find out what it is; zoneform never reads it",
  },
} as const;
