/** How the project's files fit together: paths, zones, layers, policies, checks and moves. */
export const PROJECT = {
  "file-not-found": {
    cause: "a file that the project or a flag names does not exist",
    remedy: "correct the path, or create the file",
  },
  "not-a-file": {
    cause: "a path names a folder, a device or a pipe",
    message: "{path} is not a regular file",
    remedy: "give the path of a file",
  },
  "file-too-large": {
    cause: "a file is too large, or has too many values, to be read",
    message: "the file has {excess}",
    remedy: "split it into several files, or move the hostnames to a CSV source",
  },
  "file-unreadable": {
    cause: "the current user has no permission to read a file of the project",
    message: "cannot read the file: {cause}",
    remedy: "check the permissions of the file",
  },
  "outside-project": {
    cause: "a path leads out of the project folder, perhaps through a symbolic link",
    message: "the path {path} {how}",
    remedy: "move the file into the folder of zoneform.yaml: a project reads nothing outside it",
  },
  "too-many-files": {
    cause: "zones matches more files than a project may have",
    message: "zones matches more than {most} files",
    remedy: "correct the pattern, or split the project",
  },
  "duplicate-zone": {
    cause: "two files declare the same zone",
    message: "another file declares a zone with the {what}: {place}",
    remedy: "keep one file for each zone; put what zones share into a layer (use:)",
  },
  "missing-zone": {
    cause: "a zone file does not say which zone it is for",
    remedy: "add zone: with id and name; if it is a layer, move it to a folder that zones does not match",
  },
  "unknown-zone": {
    cause: "the project has no zone of that name or id",
    message: "the project has no zone {zone}",
    remedy: "correct it, or add the zone to the project",
  },
  "layer-cycle": {
    cause: "a layer uses itself, perhaps through other layers",
    message: "the layer {name} uses itself",
    remedy: "remove one of the use: entries that form the circle",
  },
  "layer-names-zone": {
    cause: "a file that is used as a layer names a zone, and a layer cannot",
    message: "this file is used as a layer, and a layer cannot name a zone",
    remedy: "remove zone: here, or move what is shared to a file of its own",
  },
  "too-many-layers": {
    cause: "a zone file uses too many layers, or layers nested too deep",
    message: "more than {limit}",
    remedy: "use fewer layers",
  },
  "missing-lifecycle": {
    cause: "custom_hostnames has no lifecycle, so it is unknown who creates and deletes the hostnames",
    message: "custom_hostnames has no lifecycle",
    remedy:
      "add lifecycle: zoneform if Zoneform creates and deletes the hostnames, or lifecycle: app if your application does",
  },
  "declared-with-app": {
    cause: "entries or sources have no effect with lifecycle: app",
    message: "{key} has no effect with lifecycle: app, because the application creates the hostnames",
    remedy: "set values with policies and exceptions instead, or set lifecycle: zoneform",
  },
  "declared-twice": {
    cause: "an object is declared twice in a zone",
    message: "{object} is declared twice, first at {place}",
    remedy: "remove one of the two",
  },
  "duplicate-hostname": {
    cause: "a hostname is declared twice, in one zone or in two",
    remedy: "keep one of the two",
  },
  "duplicate-policy": {
    cause: "two policies have the same name",
    message: "two policies are named {name}, the first at {place}",
    remedy: "give one of them another name; the later one still wins",
  },
  "duplicate-check": {
    cause: "two checks have the same name",
    message: "two checks are named {name}, the first at {place}",
    remedy: "give one of them another name",
  },
  "unknown-label": {
    cause: "a match uses a label that no entry and no source sets",
    message: "no entry and no source sets the label {name}",
    remedy: "set it under labels: of an entry or a source",
  },
  "policy-sets-fact": {
    cause:
      "a policy sets a value that a match reads from live hostnames, so each apply would change what the next plan matches",
    message:
      "{name} sets {field}, {reader}: in this zone a match reads live values, so each apply would change what the next plan matches",
    remedy: "match on something that no policy sets, or let the application set the value",
  },
  "not-movable": {
    cause: "moved names something other than a custom hostname that moves into this zone",
    message: "only a custom hostname can move, and only into this zone",
    remedy: "for example: from: 'other-zone.net/custom_hostname[\"app.customer-one.net\"]'",
  },
  "move-to-itself": {
    cause: "a hostname moves to where it already is",
    message: "from and to are the same hostname",
    remedy: "name the other zone in from, or the new hostname in to",
  },
  "moved-and-declared": {
    cause: "a hostname moves, but is still declared in its old place",
    message: "{hostname} moves, but is still declared in {zone}: {place}",
    remedy: "remove it there; it is deleted after the new one is active",
  },
  "moved-and-not-declared": {
    cause: "a hostname moves, but is not declared in its new place",
    message: "{hostname} moves to {zone}, but is not declared there",
    remedy: "declare it here; the old one is kept until this one is active",
  },
  "forgotten-and-declared": {
    cause: "forget names an object that is also declared",
    message: "forget names an object that is declared: {place}",
    remedy: "remove one of the two",
  },
  "wildcard-needs-txt": {
    cause: "a wildcard cannot be validated by http",
    message: "{hostname} is a wildcard, which cannot be validated by http",
    remedy: "set the method txt for it",
  },
  "more-errors": {
    cause: "there are more errors of this kind than are shown",
    message: "{count} more errors of this kind in {where}: {code}",
    remedy: "fix the ones above, then validate again",
  },
} as const;

/** Faults of a CSV or NDJSON source. A source that may be truncated is never planned from. */
export const SOURCES = {
  "source-empty": {
    cause: "a source has no rows",
    remedy: "export the file again; an empty source never deletes hostnames",
  },
  "source-incomplete": {
    cause: "a source has fewer rows than complete.min_rows",
    message: "the source {name} has {rows} rows, expected at least {least}",
    remedy: "check that the file is complete; if it is, lower complete.min_rows",
  },
  "source-shrank": {
    cause: "a source has lost more rows since the last apply than complete.max_shrink allows",
    message:
      "the source {name} has {rows} rows for {zone}, down from {before} at the last apply; the limit is {limit} fewer",
    remedy: "check that the file is complete; if it is, plan and apply with --complete-source {source}",
  },
  "source-cut-short": {
    cause: "a source has no newline at its end, so it may be truncated",
    message: "there is no newline at the end of the file, so it may be truncated",
    remedy: "export the file again; if it is complete, add the newline",
  },
  "source-tail-gone": {
    cause:
      "a source has lost two or more rows since the last apply, and they are exactly its last ones: this looks like a truncated file",
    message: "the source {name} has lost its last {rows}: this looks like a truncated file",
    remedy:
      "check that the file is complete; if it is, plan with --complete-source {source}, or apply this plan with --approve and its hash",
  },
  "unknown-source": {
    cause: "from, --source or --complete-source names a source that the project does not declare",
    message: "the project has no source {name}",
    remedy: "declare it under sources in zoneform.yaml",
  },
  "source-without-file": {
    cause: "a source names no file, or two",
    message: "the source {name} has {has}",
    remedy: "name one file: csv or ndjson",
  },
  "unknown-column": {
    cause: "a column that fields or labels names is not in the header",
    remedy: "correct the name, or export the column",
  },
  "wrong-delimiter": {
    cause: "the cells of a CSV are separated by another character than the source says",
    message: "the cells are separated by {found}, not by {declared}",
    remedy: "add delimiter: {delimiter} to the source {source} in zoneform.yaml",
  },
  "duplicate-column": {
    cause: "a column that is used occurs twice in the header",
    message: "the header has the column {name} twice",
    remedy: "rename one of them",
  },
  "unknown-field": {
    cause: "fields names a field that a source cannot set",
    message: "a source cannot set {field}",
    remedy: "use one of: hostname, custom_metadata.NAME, {fields}",
  },
  "row-without-hostname": {
    cause: "a row has no hostname",
    message: "this row has no hostname",
    remedy: "fill in the hostname, or remove the row",
  },
  "wrong-cell-count": {
    cause: "a row has more or fewer cells than the header",
    message: "this row has {cells}, the header has {wanted}",
    remedy: "put a cell that contains {delimiter} in double quotes; an empty cell still needs its delimiter",
  },
  "csv-open-quote": {
    cause: "a quoted cell is never closed",
    message: "the quote that opens here is never closed",
    remedy: "close the quote; if the file is truncated, export it again",
  },
  "csv-quote": {
    cause: "there is a quote in the middle of a cell",
    message: "there is a quote in the middle of a cell",
    remedy: 'put the whole cell in double quotes, and double each quote inside it ("")',
  },
  "csv-record-too-long": {
    cause: "a row is far too long; usually a quote is not closed",
    message: "the row that begins here has more than {most} characters",
    remedy: "close the quote that is open in this row",
  },
  "csv-syntax": {
    cause: "the file is not valid CSV at that place",
    message: "this is not valid CSV: {reason}",
    remedy: "check the quotes and delimiters of this row",
  },
  "ndjson-syntax": {
    cause: "a line is not a JSON object",
    message: "this line is not {expected}",
    remedy: "write one JSON object on each line",
  },
  "ndjson-line-too-long": {
    cause: "a line is far too long",
    message: "this line has more than {most} characters",
    remedy: "write one JSON object on each line",
  },
} as const;
