/**
 * The version of the documents. The minor version rises when fields are added, the major version with any other change.
 * It names the program, because Terraform's plans have a `format_version` too: a reader of those must refuse ours, and
 * not take it for a plan without changes.
 */
export const FORMAT_VERSION = "zoneform/1.0";
