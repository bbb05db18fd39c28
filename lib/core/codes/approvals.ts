/** Approvals, and the plan files and hashes that give them. */
export const APPROVALS = {
  "not-approved": {
    cause: "something would be written, and nobody is there to approve it",
    remedy: "have it reviewed, then run it with --auto-approve",
  },
  "plan-not-saved": {
    cause: "a zone could not be planned, so that the plan is not that of the whole project",
    remedy: "mend what is said of that zone, or choose the others with --zone",
  },
  "hazard-not-approved": {
    cause: "a change is as it was approved, but has a hazard by now that it did not have then",
    remedy: "look at it, plan again, and have that plan approved",
  },
  "changed-since-approval": {
    cause: "what would be done to an object is another step than was approved for it, such as a replacement",
    remedy: "look at the difference, plan again, and have that plan approved",
  },
  "another-plan": {
    cause: "the plan is another one than was approved, and what was approved is not known here by its hash alone",
    remedy: "give the plan file that was approved as well, or plan again and have that approved",
  },
  "plan-of-another-version": {
    cause: "a plan file, or a hash, was made by another version of zoneform, in which equal changes have other digests",
    remedy: "plan again with this version, and have that approved",
  },
  "plan-of-another-project": {
    cause: "the saved plan was made for another project than the one of this command",
    remedy: "give the --config of the project that is meant, or plan again",
  },
  "plan-of-another-zone": {
    cause: "the saved plan has a zone that this command is not about",
    remedy: "plan again with the zones that are meant",
  },
  "plan-file-damaged": {
    cause: "a line of the plan file is not text, or far too long",
    remedy: "make the plan again with zoneform plan --out FILE, and have that approved",
  },
  "plan-unreadable": {
    cause: "the plan file is damaged, was edited, or is none",
    remedy: "make the plan again with zoneform plan --out FILE, and have that approved",
  },
  "selection-of-saved-plan": {
    cause: "a flag that selects changes was given with a saved plan, which was made with its own selection",
    remedy: "plan with the flag and --out, then apply that file",
  },
  "two-approvals": { cause: "--expect and --approve name two different plans", remedy: "name one of them" },
  "not-a-hash": {
    cause: "what --expect or --approve gives is not a whole hash of a plan",
    remedy: "copy all of it from the output of zoneform plan; a part of a hash approves nothing",
  },
  "approval-damaged": {
    cause: "the approval that was kept beside the state for a stopped run cannot be read",
    remedy: "plan again and have that approved, or apply the plan file",
  },
} as const;
