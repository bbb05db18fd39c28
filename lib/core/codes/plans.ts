/** Why a plan, or one of its changes, is blocked (exit code 4). */
export const GUARDS = {
  protected: {
    cause: "the plan would delete or replace an object that has protect: true",
    remedy: "apply protect: false for it first, then plan again",
  },
  "unmanaged-entry-point": {
    cause: "the phase has an entry point that Zoneform does not manage yet; it may hold foreign rules",
    message: "it exists, but Zoneform does not manage it; {rules}",
    remedy: "set adopt: true on it, or run: zoneform import {id}",
  },
  claimed: {
    cause: "another project of the same store manages this already",
    remedy:
      "remove it from the YAML of one of the two projects; if the other one no longer exists: zoneform state release --project NAME",
  },
  "nothing-claimed": {
    cause: "the project has no claims to release in this store",
    message: "project {project} claims nothing in {place}",
    remedy: "check the name; the message lists the projects that claim something",
  },
  "still-serves": {
    cause: "the plan deletes the fallback origin, but hostnames that serve from it stay because something is blocked",
    remedy: "resolve what is blocked; until then, leave the fallback origin out with --exclude",
  },
  "subscription-too-small": {
    cause: "the zone's subscription does not seem to include what this change needs",
    remedy: "remove it from the YAML, or upgrade the subscription; a contract may grant more than its name says",
  },
  "subscription-unknown": {
    cause:
      "the token may not read the zone's subscription, so Zoneform cannot tell whether Cloudflare allows this change",
    message: "cannot tell whether the subscription of {zone} allows {features}: {because}",
    remedy: "give the token the permission that the finding names",
  },
  "rules-before-migration": {
    cause: "a Pro or Business zone may not run new managed rules before its migration",
    message:
      "{zone} is a {level} zone that has not migrated to the new managed rules: until then Cloudflare takes only rules with enabled: false",
    remedy:
      "declare waf_migration with target: new beside the entry point, so that one step saves both; or set enabled: false on its rules",
  },
  "pack-quota": {
    cause: "the plan orders more certificate packs than the zone may have",
    message: "this plan orders {planned}, and {zone} has {used} of the {allocated} that it may have",
    remedy: "remove packs first, or have the quota raised (Cloudflare answers 1405 beyond it)",
  },
  "zone-unread": {
    cause: "the token may not read the zone itself, so its name was not compared with the YAML",
    message: "the token may not read the zone, so whether {id} is {name} was not checked",
    remedy: "give the token Zone Read for the zone",
  },
  "deletion-limit": {
    cause: "the plan deletes more objects of one kind than deletion_limits allows",
    message: "deletes {taken} of {all} managed {objects} ({share}); deletion_limits allows {allowed}, in one plan",
    remedy: "review the plan and --approve its hash, or set deletion_limits: {limits}",
  },
  "companion-not-declared": {
    cause: "this step also replaces an entry point that the YAML does not declare",
    remedy: "declare the entry point, with the rules that should stay",
  },
  "waits-for-another": {
    cause: "this object is written by the same call as another one, and that one is blocked or cannot be undone",
    remedy: "resolve what blocks the other object",
  },
  "denied-value": {
    cause: "the YAML declares a value that one of its checks denies",
    message: "{field} is {value}, which the check {check} denies",
    remedy: "choose another value, or change the check at {place}",
  },
  "denied-by-flag": {
    cause: "a change has a hazard or an action that --deny refuses",
    message: "--deny {denied} blocks it",
    remedy: "leave out --deny {denied}, or exclude this object with --exclude",
  },
  "unknown-hazard": {
    cause: "--deny names neither a hazard nor an action, or --fail-on names no hazard",
    message: "{word} is {what}",
    remedy: "use one of: {words}",
  },
  "too-many-changes": {
    cause: "the plan has more changes than --max-changes allows",
    message: "the plan has {count} changes; --max-changes allows {most}",
    remedy: "review the plan, and raise --max-changes if it is right",
  },
} as const;

/** Approvals, and the plan files and hashes that give them. */
export const APPROVALS = {
  "not-approved": {
    cause: "Zoneform cannot ask for approval, because stdin is not a terminal; or the approved plan lacks the change",
    remedy: "save a plan with zoneform plan --out FILE, have it reviewed, then run: zoneform apply FILE",
  },
  "plan-not-saved": {
    cause: "one zone could not be planned, so the plan does not cover the whole project",
    message: "the plan was not saved: {zones} could not be read",
    remedy: "fix the errors above, or choose the other zones with --zone",
  },
  "hazard-not-approved": {
    cause: "a change now has a hazard that it did not have when it was approved",
    message: "it now has {hazards}, which it did not have when it was approved",
    remedy: "plan again, review it and have that plan approved",
  },
  "changed-since-approval": {
    cause: "an object now needs another action than the one that was approved, such as a replacement",
    remedy: "review the difference, plan again and have that plan approved",
  },
  "approval-spent": {
    cause: "the approval was used already: a run applied this change since the plan was made, and it was set back",
    remedy: "plan again to apply it again",
  },
  "another-plan": {
    cause: "the plan differs from the approved one, and a hash alone does not list the approved changes",
    remedy: "apply the file of the approved plan, or plan again and have that approved",
  },
  "plan-of-another-version": {
    cause: "the plan file or hash was made by another version of Zoneform, whose hashes differ",
    message: "{what}; this version of Zoneform uses format {version} and digests of version {digests}",
    remedy: "plan again with this version, and approve that plan: zoneform plan --out {file}",
  },
  "plan-of-another-project": {
    cause: "the saved plan was made for another project",
    message: "the plan was made for project {made}, but this is {here}",
    remedy: "choose the right project with --config",
  },
  "plan-of-another-zone": {
    cause: "the saved plan has a zone that this command does not select",
    message: "the plan was made for the zone {name} ({id}), and this is about {zones}",
    remedy: "plan again with the right zones",
  },
  "plan-file-damaged": {
    cause: "a line of the plan file is not text, or far too long",
    remedy: "plan again with zoneform plan --out FILE, and approve that plan",
  },
  "plan-unreadable": {
    cause: "the file is damaged, was edited, or is not a plan file",
    message: "the plan file cannot be used: {what}",
    remedy: "plan again: zoneform plan --out {file}",
  },
  "selection-of-saved-plan": {
    cause: "a flag that selects changes was passed with a saved plan, which has its own selection",
    message: "{flags} cannot be used with a saved plan, which has its own selection",
    remedy: "plan with {flags} and --out, then apply the saved plan",
  },
  "two-approvals": {
    cause: "--expect and --approve name two different plans",
    message: "--expect and --approve name two plans",
    remedy: "name one of them",
  },
  "not-a-hash": {
    cause: "the value of --expect or --approve is not the complete hash of a plan",
    message: "{hash} is not the hash of a plan",
    remedy: "give the whole hash, as zoneform plan prints it",
  },
  "approval-damaged": {
    cause: "the approval of a stopped run, kept beside the state, cannot be read",
    message: "the approval that is kept as {name} is damaged, so no run can be resumed under it",
    remedy: "plan again and have that approved, or apply the plan file; nothing else depends on it",
  },
} as const;

/** What changed since the plan was made (exit code 5), or does not exist. */
export const CONFLICTS = {
  "changed-since-plan": {
    cause: "the object was changed after the plan was made",
    remedy: "review the difference, then plan again",
  },
  "changed-since-run": {
    cause: "the object was changed after the run, and an undo would revert that change too",
    remedy: "review it; to change it anyway, change the YAML, then plan",
  },
  "overwrote-another-write": {
    cause: "a ruleset was changed between the re-read and the write, which replaced that change",
    message: "version {version} was written just before this write, which replaced it",
    remedy: "restore what is missing; Cloudflare keeps it as version {version}",
  },
  "gone-since-plan": {
    cause: "the object was deleted after the plan was made",
    message: "it was deleted after the plan was made",
    remedy: "review the difference, then plan again",
  },
  "exists-already": {
    cause: "the object was created after the plan was made",
    message: "it was created after the plan was made",
    remedy: "review what is live, then plan again: an object that is as declared is adopted",
  },
  "secret-changed-since-plan": {
    cause: "a secret differs from the one that the plan was made with",
    message: "{field} is not the secret that the plan was made with",
    remedy: "plan again with the right secret",
  },
  "plan-of-another-endpoint": {
    cause: "the saved plan was made for another endpoint",
    remedy: "set CLOUDFLARE_BASE_URL or --api-url as when the plan was made, or plan again",
  },
  "plan-of-another-state": {
    cause: "the plan was made with another state of the zone, or that state was moved or removed since",
    message: "the plan was made with a state of {zone} of lineage {lineage}, and {found}",
    remedy: "give the place that has that state with ZONEFORM_STATE or --state; else plan again",
  },
  "names-nothing": {
    cause: "an address of --target or --exclude is not declared, not in the state and not live",
    message: "there is no {address}: it is not declared, not in the state and not live",
    remedy: "to see the addresses: zoneform state list",
  },
} as const;

/** Why a run cannot be undone. */
export const RUNS = {
  "which-run": {
    cause: "undo needs the id of a run",
    message: "no run is named",
    remedy: "write its id, or last for the newest; to list the runs: zoneform undo --list",
  },
  "unknown-run": {
    cause: "no run, or more than one, has this id; the last 20 runs of each zone are kept",
    remedy: "to list the last 20 runs of each zone: zoneform undo --list",
  },
  "run-not-finished": {
    cause: "the run was stopped or is still going, so its record is not complete",
    message: "run {run} is unfinished in {zone}: it was stopped, or is still running, so its record is not complete",
    remedy:
      "finish it with {command}; then zoneform undo last undoes the newest run that is no undo, and zoneform undo {run} this one",
  },
  "run-damaged": {
    cause: "the record of the run cannot be read",
    remedy: "the run cannot be undone; change the YAML instead, then plan",
  },
  "run-of-another-state": {
    cause: "the record of the run belongs to another state",
    message: "the record of run {run} and the state of {zone} do not belong together",
    remedy: "restore the state that the run was made with",
  },
  "cannot-be-undone": {
    cause: "part of what the run did cannot be undone, or was not recorded",
    remedy: "the message names the objects and the reasons; change them in the YAML",
  },
  "yaml-says-otherwise": {
    cause: "the YAML still declares what the undo reverts; the next apply redoes it",
    message: "the YAML still declares what run {run} did to {objects}; the next apply redoes it",
    remedy: "to keep it undone, change the YAML as well",
  },
} as const;
