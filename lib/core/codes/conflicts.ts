/** What changed since the plan was made (exit code 5), or does not exist. */
export const CONFLICTS = {
  "changed-since-plan": {
    cause: "the object was changed after the plan was made",
    remedy: "plan again; changes that stay the same keep their approval",
  },
  "changed-since-run": {
    cause: "the object was changed after the run, and an undo would revert that change too",
    remedy: "review the difference, then make the change in the YAML",
  },
  "overwrote-another-write": {
    cause: "a ruleset was changed between the re-read and the write, which replaced that change",
    remedy: "restore what is missing: Cloudflare keeps that version",
  },
  "gone-since-plan": {
    cause: "the object was deleted after the plan was made",
    remedy: "plan again; changes that stay the same keep their approval",
  },
  "exists-already": {
    cause: "the object was created after the plan was made",
    remedy: "plan again: what is declared and live is adopted by its name",
  },
  "secret-changed-since-plan": {
    cause: "a secret differs from the one that the plan was made with",
    message: "{field} is not the secret that the plan was made with",
    remedy: "plan again with the right secret",
  },
  "plan-of-another-endpoint": {
    cause: "the saved plan was made for another endpoint",
    remedy: "use the CLOUDFLARE_BASE_URL or --api-url of the plan, or plan again",
  },
  "plan-of-another-state": {
    cause: "the plan was made with another state of the zone, or that state was moved or removed since",
    message: "the plan was made with a state of {zone} of lineage {lineage}, and {found}",
    remedy: "give the place that has that state with ZONEFORM_STATE or --state; else plan again",
  },
  "names-nothing": {
    cause: "an address of --target or --exclude is not declared, not in the state and not live",
    remedy: "to see the addresses in the state: zoneform state list",
  },
} as const;
