/** Why a plan, or one of its changes, is blocked (exit code 4). */
export const GUARDS = {
  protected: {
    cause: "the plan would delete or replace an object that has protect: true",
    remedy: "apply protect: false for it first; that takes two plans on purpose",
  },
  "unmanaged-entry-point": {
    cause: "the phase has an entry point that Zoneform does not manage yet; it may hold foreign rules",
    remedy: "set adopt: true on the entry point, or run: zoneform import --write zone/<zone_id>/<ruleset_id>",
  },
  claimed: {
    cause: "another project of the same store manages this already",
    remedy:
      "remove it from the YAML of one of the two projects; if the other one no longer exists: zoneform state release --project NAME",
  },
  "nothing-claimed": {
    cause: "the project has no claims to release in this store",
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
    remedy: "give the token the permission that the finding names",
  },
  "rules-before-migration": {
    cause: "a Pro or Business zone may not run new managed rules before its migration",
    remedy: "declare waf_migration with target: new beside the entry point, or set enabled: false on its rules",
  },
  "pack-quota": {
    cause: "the plan orders more certificate packs than the zone may have",
    remedy: "remove packs first, or ask for a higher quota; without Advanced Certificate Manager it is 0",
  },
  "zone-unread": {
    cause: "the token may not read the zone itself, so its name was not compared with the YAML",
    message: "the token may not read the zone, so whether {id} is {name} was not checked",
    remedy: "give the token Zone Read for the zone",
  },
  "deletion-limit": {
    cause: "the plan deletes more objects of one kind than deletion_limits allows",
    remedy:
      "review the deletions, then approve exactly this plan with apply --approve HASH (or undo RUN, or destroy), or raise deletion_limits",
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
    remedy: "leave the change out with --exclude, or run without --deny",
  },
  "unknown-hazard": {
    cause: "--deny names neither a hazard nor an action, or --fail-on names no hazard",
    remedy: "write one of the words that the message lists",
  },
  "too-many-changes": {
    cause: "the plan has more changes than --max-changes allows",
    remedy: "review the plan; raise --max-changes if it is right",
  },
} as const;
