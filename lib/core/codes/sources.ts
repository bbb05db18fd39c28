/** Faults of a CSV or NDJSON source. A source that may be truncated is never planned from. */
export const SOURCES = {
  "source-empty": {
    cause: "a source has no rows; an empty source never deletes hostnames",
    remedy: "check whether the file is complete, and export it again if it is not",
  },
  "source-incomplete": {
    cause: "a source has fewer rows than complete.min_rows",
    remedy: "check whether the file is complete, and export it again if it is not",
  },
  "source-shrank": {
    cause: "a source has lost more rows since the last apply than complete.max_shrink allows",
    remedy: "export the file again if it is not complete; if it is, say so with --complete-source",
  },
  "source-cut-short": {
    cause: "a source has no newline at its end, so it may be truncated",
    remedy: "check whether the file is complete, and export it again if it is not",
  },
  "source-tail-gone": {
    cause:
      "a source has lost two or more rows since the last apply, and they are exactly its last ones: this looks like a truncated file",
    remedy: "if the file is complete, say so with --complete-source, or approve this plan with apply --approve HASH",
  },
  "unknown-source": {
    cause: "from, --source or --complete-source names a source that the project does not declare",
    message: "the project has no source {name}",
    remedy: "declare it under sources in zoneform.yaml",
  },
  "source-without-file": { cause: "a source names no file, or two", remedy: "set either csv or ndjson" },
  "unknown-column": {
    cause: "a column that fields or labels names is not in the header",
    remedy: "correct the name, or export the column",
  },
  "wrong-delimiter": {
    cause: "the cells of a CSV are separated by another character than the source says",
    remedy: 'set delimiter of the source, for example delimiter: ";"',
  },
  "duplicate-column": {
    cause: "a column that is used occurs twice in the header",
    remedy: "rename one of them",
  },
  "unknown-field": {
    cause: "fields names a field that a source cannot set",
    remedy: "use hostname, custom_metadata.NAME or a field that the message lists; set other fields with policies",
  },
  "row-without-hostname": { cause: "a row has no hostname", remedy: "fill in the hostname, or remove the row" },
  "wrong-cell-count": {
    cause: "a row has more or fewer cells than the header",
    remedy: "put a cell that contains the delimiter in double quotes; an empty cell still needs its delimiter",
  },
  "csv-open-quote": {
    cause: "a quoted cell is never closed",
    remedy: "close the quote; if the file is truncated, export it again",
  },
  "csv-quote": {
    cause: "there is a quote in the middle of a cell",
    remedy: "put the whole cell in double quotes, and double each quote inside it",
  },
  "csv-record-too-long": {
    cause: "a row is far too long; usually a quote is not closed",
    remedy: "close the quote in the row that the message names",
  },
  "csv-syntax": {
    cause: "the file is not valid CSV at that place",
    remedy: "check the quotes and delimiters of that row",
  },
  "ndjson-syntax": { cause: "a line is not a JSON object", remedy: "write one JSON object on each line" },
  "ndjson-line-too-long": { cause: "a line is far too long", remedy: "write one JSON object on each line" },
} as const;
