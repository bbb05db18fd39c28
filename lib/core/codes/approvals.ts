/** Approvals, and the plan files and hashes that give them. */
export const APPROVALS = {
  "not-approved": {
    cause: "Zoneform cannot ask for approval: stdin is not a terminal",
    remedy: "save a plan with zoneform plan --out FILE, have it reviewed, then run: zoneform apply FILE",
  },
  "plan-not-saved": {
    cause: "one zone could not be planned, so the plan does not cover the whole project",
    remedy: "fix the error of that zone, or select the other zones with --zone",
  },
  "hazard-not-approved": {
    cause: "a change now has a hazard that it did not have when it was approved",
    remedy: "plan again, review the hazard, and approve the new plan",
  },
  "changed-since-approval": {
    cause: "an object now needs another action than the one that was approved, such as a replacement",
    remedy: "plan again, review the difference, and approve the new plan",
  },
  "approval-spent": {
    cause: "the approval was used already: a run applied this change since the plan was made, and it was set back",
    remedy: "plan again to apply it again, and approve the new plan",
  },
  "another-plan": {
    cause: "the plan differs from the approved one, and a hash alone does not list the approved changes",
    remedy: "pass the approved plan file too, or plan again and approve that plan",
  },
  "plan-of-another-version": {
    cause: "the plan file or hash was made by another version of Zoneform, whose hashes differ",
    remedy: "plan again with this version, and approve that plan",
  },
  "plan-of-another-project": {
    cause: "the saved plan was made for another project",
    remedy: "pass --config of that project, or plan again",
  },
  "plan-of-another-zone": {
    cause: "the saved plan has a zone that this command does not select",
    remedy: "plan again with the zones that you want",
  },
  "plan-file-damaged": {
    cause: "a line of the plan file is not text, or far too long",
    remedy: "plan again with zoneform plan --out FILE, and approve that plan",
  },
  "plan-unreadable": {
    cause: "the file is damaged, was edited, or is not a plan file",
    remedy: "plan again with zoneform plan --out FILE, and approve that plan",
  },
  "selection-of-saved-plan": {
    cause: "a flag that selects changes was passed with a saved plan, which has its own selection",
    remedy: "plan with the flag and --out, then apply that file",
  },
  "two-approvals": { cause: "--expect and --approve name two different plans", remedy: "name one of them" },
  "not-a-hash": {
    cause: "the value of --expect or --approve is not the complete hash of a plan",
    remedy: "copy the complete hash from the output of zoneform plan; part of a hash approves nothing",
  },
  "approval-damaged": {
    cause: "the approval of a stopped run, kept beside the state, cannot be read",
    remedy: "apply the plan file again, or plan again and approve that plan",
  },
} as const;
