// Generated from lib/kinds/registered.ts by .ci/generate-import-forms.mjs; do not edit.

/** The forms of import ids; those with more parts come first. */
export const IMPORT_FORMS = [
  "zone/<zone_id>/<ruleset_id>",
  "<zone_id>/<custom_hostname_id>",
  "<zone_id>/<hostname>",
  "<zone_id>/<certificate_pack_id>",
  "<zone_id>/<setting>",
  "<zone_id>",
] as const;
