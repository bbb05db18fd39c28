/** Codes that only entry points and their rules raise. */
export const CODES = {
  "duplicate-ref": {
    cause: "two rules of an entry point have the same ref, and Zoneform identifies rules by it",
    remedy: "give each rule its own ref",
  },
  "ref-outside-own": {
    cause: "the ref of a declared rule has none of the prefixes of own, so without a state the rule counts as foreign",
    remedy: "rename it, or add its prefix to own",
  },
  "action-not-in-phase": {
    cause: "the phase does not support the action",
    remedy: "use execute or skip, or move the rule to another phase",
  },
  "expression-too-long": {
    cause: "an expression is longer than Cloudflare allows",
    remedy: "shorten it, use a list of the account, or split the rule",
  },
  "unknown-ruleset": {
    cause: "a rule runs or skips a managed ruleset that does not exist",
    remedy: "use a name that the message lists, or a ruleset id of 32 hex digits",
  },
  "ignore-foreign-ended": {
    cause:
      "the last day of an entry point's ignore_foreign is over, so foreign rules that let traffic past yours count again",
    remedy: "remove ignore_foreign, or set a later date",
  },
  "skip-after-execute": {
    cause: "a skip comes after the rule that runs what it skips, so it has no effect",
    remedy: "move the skip above that rule",
  },
} as const;
