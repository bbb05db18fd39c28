/** Why a plan, or one of its changes, is blocked (exit code 4). */
export const GUARDS = {
  protected: {
    cause: "the plan would delete or replace an object that has protect: true",
    remedy: "apply protect: false for it first; that takes two plans on purpose",
  },
  "unmanaged-entry-point": {
    cause: "the phase has an entry point that zoneform does not manage, perhaps with rules of others",
    remedy: "take it over with adopt: true, or with: zoneform import --write zone/<zone_id>/<ruleset_id>",
  },
  "still-serves": {
    cause: "the fallback origin would go, and hostnames that serve from it may not be deleted",
    remedy: "see what is said at those; until they are gone, leave the fallback origin out with --exclude",
  },
  "subscription-too-small": {
    cause: "a change wants what the zone's subscription does not allow, as far as the plan's name tells",
    remedy: "do without it, or have the subscription changed; a contract may grant more than the name of the plan says",
  },
  "subscription-unknown": {
    cause: "the token may not read what the zone is subscribed to, so whether the service allows a change is not known",
    remedy: "give the token the permission that the finding names",
  },
  "rules-before-migration": {
    cause: "a Pro or Business zone may not run new managed rules before its migration",
    remedy: "declare waf_migration with target: new beside the entry point, or set enabled: false on its rules",
  },
  "pack-quota": {
    cause: "the plan orders more certificate packs than the zone may have",
    remedy: "remove packs first, or have the quota raised; without Advanced Certificate Manager it is 0",
  },
  "zone-unread": {
    cause: "the token may not read the zone itself, so its name was not compared with the YAML",
    remedy: "give the token Zone Read for the zone",
  },
  "deletion-limit": {
    cause: "the plan takes away more objects of a kind than deletion_limits allows",
    remedy: "look at them; approve exactly that plan with apply --approve HASH or undo RUN --approve HASH",
  },
  "companion-not-declared": {
    cause: "the call of a step replaces an entry point that the YAML does not declare",
    remedy: "declare the entry point with the rules that are to stay",
  },
  "waits-for-another": {
    cause: "the object is saved together with another one, which is refused or has no way back",
    remedy: "see what is said at that one",
  },
  "denied-value": {
    cause: "a value that is wanted is one that a check denies",
    remedy: "choose another value, or change the check",
  },
  "denied-by-flag": {
    cause: "a change has a hazard or an action that --deny refuses",
    remedy: "leave the change out with --exclude, or leave out --deny",
  },
  "unknown-hazard": {
    cause: "--deny names neither a hazard nor an action",
    remedy: "write one of the words that the message lists",
  },
  "too-many-changes": {
    cause: "the plan has more changes than --max-changes allows",
    remedy: "look at the plan; raise --max-changes if it is what you mean",
  },
} as const;
