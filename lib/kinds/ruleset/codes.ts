/** What only entry points and their rules are told. */
export const CODES = {
  "duplicate-ref": {
    cause: "two rules of an entry point have one ref, by which rules are recognised",
    remedy: "give each rule a ref of its own",
  },
  "action-not-in-phase": {
    cause: "the phase has no such action",
    remedy: "use execute or skip, or put the rule into the entry point of another phase",
  },
  "expression-too-long": {
    cause: "an expression is longer than the service takes",
    remedy: "shorten it, use a list of the account, or make two rules of it",
  },
  "unknown-ruleset": {
    cause: "a rule runs or skips a ruleset that is neither an id nor the name of a managed one",
    remedy: "write 32 hex digits, or a name that the message lists",
  },
  "skip-after-execute": {
    cause: "a skip stands after the rule that runs what it skips, so it has no effect",
    remedy: "move the skip before that rule",
  },
} as const;
