/** Faults of a state, and why one cannot be read, written or replaced. */
export const STATES = {
  "open-write": {
    cause: "it is not known whether a run's change of this object took effect: the run was stopped, or got no response",
    message: "{address}: run {run} got no response to its {sent}",
    remedy: "the next apply reads it, and continues from what is live",
  },
  locked: {
    cause: "another run holds the lock of the zone's state",
    message: "the state of {zone} is {lock}",
    remedy: "wait until it ends, or let this command wait: --lock-timeout SECONDS",
  },
  "not-unlocked": {
    cause: "nothing was unlocked: no lock has that id, several have it, or a run took the lock again in the meantime",
    remedy: "give the id from the message that reported the lock",
  },
  "state-taken-over": {
    cause:
      "the state was unlocked (zoneform state unlock), or replaced, while a run held the lock; or its machine slept for over an hour while it stored a state in PostgreSQL",
    remedy: "apply again: it continues from the current state",
  },
  "state-engine": {
    cause: "the address of the states does not match state.engine in the project file, or names an unknown engine",
    remedy:
      "set ZONEFORM_STATE or --state to a folder, or to a postgres://, s3:// or https:// address, that fits state: in the project file",
  },
  "state-host": {
    cause: "the address of the states leads to another host than the project file expects",
    message: "the project file expects the states on {host}, and {from} leads to {found}",
    remedy: "find out which is right: the project file never chooses the server, it only compares",
  },
  "project-has-state": {
    cause: "the state of another project cannot be moved here, because the zone has another state here already",
    remedy:
      "find out which state is right (zoneform state list), then choose another place, or give up the other state: zoneform state rm --zone ZONE",
  },
  "claims-damaged": {
    cause: "the file with the claims of a store's projects cannot be read",
    message: "{what} are damaged: they are not what zoneform writes there",
    remedy:
      "restore an earlier version of them; or, if no project was moved away (zoneform state migrate), delete them: each project takes its claims with its next apply",
  },
  "claims-locked": {
    cause:
      "another process has held the lock of the projects' claims, or of the list of states on an HTTP server, for too long",
    message: "{what} is {lock}",
    remedy:
      "apply again; if that process is gone, delete the folder that the message names, end its session in the database, or free its lock on the server",
  },
  "state-damaged": {
    cause: "the state is damaged, or was edited",
    remedy: "nothing was changed; zoneform state doctor lists the copies, zoneform state repair restores the newest",
  },
  "state-missing": {
    cause: "the state is missing, but the journal of an interrupted run, or copies of the state, are there",
    message: "the state is missing, but {left}",
    remedy: "restore the state, or let zoneform state repair do it; delete what is left only if the zone starts over",
  },
  "state-sealed": {
    cause: "the state is encrypted, and no passphrase is set",
    message: "{where} is encrypted, and no passphrase is set",
    remedy: "set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with; nothing was changed",
  },
  "state-not-opened": {
    cause: "no line of the state can be decrypted with the passphrase that is set",
    message: "{where} cannot be decrypted: the passphrase is wrong, or somebody changed the file",
    remedy: "set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with; nothing was changed",
  },
  "state-not-sealed": {
    cause: "a passphrase is set, and the state is not encrypted",
    message: "{where} is not encrypted, and a passphrase is set",
    remedy: "if you trust it, encrypt it: ZONEFORM_STATE_PLAIN=accept zoneform state encrypt",
  },
  "passphrase-missing": {
    cause: "ZONEFORM_STATE_PASSPHRASE is not set, but is needed to encrypt a state",
    remedy: "set ZONEFORM_STATE_PASSPHRASE",
  },
  "passphrase-too-short": {
    cause: "the passphrase of the states is so short that it could be guessed",
    message: "{variable} has fewer than {least} characters, so that it could be tried out",
    remedy: "use a long random one: openssl rand -base64 32",
  },
  "state-newer": {
    cause: "the state was written by a newer zoneform",
    message: "{what} was written by a newer zoneform{versions}",
    remedy: "use that version of zoneform or a later one",
  },
  "state-of-another-zone": {
    cause: "the state is that of another zone",
    message: "this is the state of zone {found} ({name}), not of zone {wanted}",
    remedy: "restore the state of the right zone; a zone cannot use the state of another one",
  },
  "state-of-another-lineage": {
    cause: "the file is another state than the stored one, not an earlier or later version of it",
    message: "the file has lineage {given}, and the stored state has {stored}: they are different states",
    remedy: "a state cannot be replaced with another one; adopt single objects with: zoneform import ID",
  },
  "state-not-newer": {
    cause: "the file is not newer than the stored state, so newer changes would be lost",
    message: "the file has serial {given}, and the stored state has {stored}: newer changes would be lost",
    remedy: "pull the stored state and start from that; to go back on purpose, add --older",
  },
  "state-with-open-create": {
    cause: "a run was stopped while it created an object that is not in the file",
    message: "a run was stopped while it created {address}, which is not in the file: the object could be lost",
    remedy: "let an apply finish that run first: zoneform apply",
  },
  "older-state": {
    cause: "the state is outdated: a copy, a record of a run, the last write or the lock has a later serial",
    message: "the state is not the newest: it has serial {serial}, and {newer} ({signs})",
    remedy:
      "to restore the newest copy, run zoneform state repair --zone ZONE; to keep an older state, zoneform state push --older FILE",
  },
  "zone-state-in-use": {
    cause: "the state to remove has protected objects, or objects with unfinished changes",
    message: "the state of {name} is not removed: {reasons}",
    remedy: "if you are sure that the zone is gone, remove its state with:",
    commands: ["zoneform state rm --zone {zone} --force"],
  },
  "state-older-than-journal": {
    cause: "the state is older than the journal beside it",
    message: "the state is older than its journal (serial {serial}, the journal continues serial {base})",
    remedy:
      "restore the state and the journal that belong together; or see what can be recovered: zoneform state repair --dry-run",
  },
  "journal-of-another-state": {
    cause: "the journal belongs to another state",
    message: "the journal belongs to another state (lineage {other}, the state has {lineage})",
    remedy:
      "restore the state and the journal that belong together; or see what can be recovered: zoneform state repair --dry-run",
  },
  "journal-damaged": {
    cause: "a line of the journal does not match its checksum, or was not written by zoneform",
    remedy: "nothing was changed; to see what can be recovered: zoneform state repair --dry-run",
  },
  "no-backup": {
    cause: "no copy of the state is newer than the state itself",
    remedy: "if you have a state elsewhere, store it with: zoneform state push --older FILE",
  },
  "backup-missing": {
    cause: "there is no earlier copy of the state with that serial",
    message: "there is no earlier copy of serial {serial} of {where}",
    remedy: "to list the copies: zoneform state doctor",
  },
  "last-write-damaged": {
    cause: "the record of a state's last write cannot be read; the state itself is not affected",
    message: "the record of the last write next to {where} is damaged",
    remedy: "nothing to do: the next write renews it; until then only the copies show whether the state is outdated",
  },
  "record-damaged": {
    cause: "a record of a run or of an approval cannot be read",
    remedy: "delete the file; the state does not depend on it",
  },
  "state-disk": {
    cause: "the system refused to read or write the state",
    remedy: "fix the disk, permission or space problem in the message, then run it again; nothing is half written",
  },
  "state-read-only": {
    cause: "the file or the folder of the state may not be written",
    message: "{what} is read-only",
    remedy: "chmod u+w {path}",
  },
  "state-open-to-others": {
    cause: "other users of the machine may read or change the state",
    message: "{path} may be read or changed by other users of this machine",
    remedy: "chmod go= {path}",
  },
  "state-unreachable": {
    cause: "the server that keeps the state cannot be reached, or was gone for too long",
    remedy: "check that the server runs and that this machine reaches it, then run it again: nothing is half written",
  },
  "state-denied": {
    cause: "the server that keeps the state refuses the user, or the user lacks a right",
    remedy: "correct the credentials, or grant what docs/postgres.md, docs/s3.md or docs/http.md lists for the job",
  },
  "state-server": {
    cause: "the server that keeps the state answered with an error",
    remedy: "fix the problem in the message, then run it again: nothing is half written",
  },
  "state-tables": {
    cause: "a zoneform with tables of another version made those of the state, or another session is still making them",
    remedy: "use that version: plans may still work; if another run is making the tables, run it again",
  },
  "state-pooler": {
    cause: "a pooler gives each transaction another session of the server, so a lock would not hold",
    message:
      "the state at {where} is behind a pooler that gives each transaction another session: no lock would hold there",
    remedy: "name the server itself in the address, or a pooler in session mode",
  },
  "state-conditions-ignored": {
    cause: "the server that keeps the states ignores conditional writes or answers them wrongly, so no lock would hold",
    message: "the server of {where} cannot keep a lock: {what}",
    remedy: "use a server with conditional writes (docs/s3.md lists some), or keep the states in PostgreSQL",
  },
  "state-address": {
    cause: "the address of the state cannot be used, or another kind of server answers there",
    remedy:
      "write it as postgres://USER@HOST:PORT/DATABASE, s3://BUCKET/PREFIX or https://HOST/PATH; the rest comes from the variables of libpq, AWS or Terraform's http backend (docs/state.md)",
  },
  "state-without-lock": {
    cause: "the server of the states has no address for locks, and nothing is written without one",
    remedy: "set TF_HTTP_LOCK_ADDRESS, with {state} where the name of the state belongs (docs/http.md)",
  },
  "state-not-locking": {
    cause: "the server of the states gives a lock to two at once",
    message: "the server gave the lock of {where} to two at once, so nothing is written there",
    remedy: "correct TF_HTTP_LOCK_ADDRESS and TF_HTTP_LOCK_METHOD, or choose a server that locks",
  },
  "state-foreign": {
    cause: "another program, project or zone keeps its state at the address",
    message: "what is stored at {where} is {whose}, not a state of this project and zone",
    remedy: "nothing was changed; give Zoneform an address of its own",
  },
  "state-driver": {
    cause: "the state is in PostgreSQL or S3, and the package that talks to it is not installed",
    message: "a state in {server} needs the package {package}, which is not installed",
    remedy: "install it beside zoneform (with --global, if zoneform is):",
    commands: ["npm install {package}"],
  },
  "state-moved": {
    cause: "the states of the project were moved to another place with zoneform state migrate",
    message: "the states were moved from {place} to {other}",
    remedy: "give the new place with --state, or for all commands:",
    commands: ["export ZONEFORM_STATE={address}"],
  },
  "state-arriving": {
    cause: "the states of the project are being moved here, and the move was interrupted",
    message: "the states are being moved from {other} to {place}, and are not complete there",
    remedy:
      "run zoneform state migrate --to again, with the old place in ZONEFORM_STATE: it completes the move; if that place is gone for good, remove what is here with zoneform state rm --zone ZONE --force",
  },
  "state-copy-differs": {
    cause: "the copy of a state in the new place differs from the original",
    message: "{what} differs from the original after it was copied, so the old place still counts: {where}",
    remedy: "run zoneform state migrate again; if it stays, check the disk or the server of the new place",
  },
  // Findings of `zoneform state doctor`.
  "journal-left": {
    cause: "a run was stopped; its journal has its results",
    remedy: "the next apply continues from there; nothing is lost",
  },
  "open-create": {
    cause: "a run was stopped while it created an object, so it is not known whether the object exists",
    message: "{address}: a run was stopped while it created this object, so it may or may not exist",
    remedy: "the next apply looks for it by its name, then adopts or creates it",
  },
  "lock-held": {
    cause: "the lock of the state is held by a run, which may be dead",
    remedy: "to see that run, and what to do: zoneform state lock",
  },
  "lock-not-freed": {
    cause: "a command ended, and could not unlock the state of a zone, or got no confirmation of it",
    message: "the state of zone {zone} may still be locked: {reason}",
    remedy: "once that is put right, unlock it:",
    commands: ["zoneform state unlock {id} --zone {zone}"],
  },
  "backup-damaged": {
    cause: "an earlier copy of the state is damaged; the state itself is not",
    message: "the copy of serial {serial} is damaged",
    remedy: "nothing to do: newer copies replace it",
  },
  "temporary-left": {
    cause: "a run was killed while it wrote this file",
    message: "{path} was left by a run that was killed",
    remedy: "nothing to do: the next write removes it",
  },
  "set-aside": {
    cause: "a repair, or state rm --zone, kept a copy",
    message: "{path} is a copy that a repair, or state rm --zone, kept",
    remedy: "print it; once you do not need it any more, delete it:",
    commands: ["zoneform state pull --zone {zone} --copy {copy}", "zoneform state rm --zone {zone} --copy {copy}"],
  },
  "no-copy": {
    cause: "no copy that a repair or state rm --zone kept has this name",
    message: "{zone} has no copy {copy} that was set aside",
    remedy: "to list the copies: zoneform state doctor",
  },
  "unknown-file": {
    cause: "the folder of the states has a file that zoneform does not write",
    message: "{path} is not a file that zoneform writes",
    remedy: "find out what it is; zoneform does not read it",
  },
} as const;
