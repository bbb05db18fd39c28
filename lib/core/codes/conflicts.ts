/** What changed since the plan was made (exit code 5), or is not where we looked for it. */
export const CONFLICTS = {
  "changed-since-plan": {
    cause: "somebody changed the object since the plan was made",
    remedy: "plan again: what is as it was keeps its approval",
  },
  "changed-since-run": {
    cause: "what a run did was changed since, so that undoing it would take that change away as well",
    remedy: "look at the difference; change it in the YAML",
  },
  "overwrote-another-write": {
    cause: "somebody wrote a ruleset between the re-read and the write that replaced it",
    remedy: "put back what is missed: the service keeps that version",
  },
  "gone-since-plan": {
    cause: "somebody deleted the object since the plan was made",
    remedy: "plan again: what is as it was keeps its approval",
  },
  "exists-already": {
    cause: "somebody created the object since the plan was made",
    remedy: "plan again: what is declared and live is adopted by its name",
  },
  "secret-changed-since-plan": {
    cause: "a secret is another one than the plan was made with",
    remedy: "plan again with the secret that is meant",
  },
  "plan-of-another-endpoint": {
    cause: "the saved plan was made against another endpoint than this run calls",
    remedy: "set CLOUDFLARE_BASE_URL or --api-url as it was, or plan again",
  },
  "plan-of-another-state": {
    cause: "the saved plan was made with a state of another lineage",
    remedy: "plan again with the state that is meant",
  },
  "names-nothing": {
    cause: "an address of --target or --exclude is not declared, not in the state and not live",
    remedy: "to see the addresses in the state: zoneform state list",
  },
} as const;
