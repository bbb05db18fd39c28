/** Faults of a CSV or NDJSON source. A source that may be truncated is never planned from. */
export const SOURCES = {
  "source-empty": {
    cause: "a source has no rows, which is never taken to mean that all hostnames go",
    remedy: "see whether the file is whole, and fetch it again if it is not",
  },
  "source-incomplete": {
    cause: "a source has fewer rows than complete.min_rows",
    remedy: "see whether the file is whole, and fetch it again if it is not",
  },
  "source-shrank": {
    cause: "a source lost more rows since the last apply than complete.max_shrink",
    remedy: "see whether the file is whole, and fetch it again if it is not",
  },
  "source-cut-short": {
    cause: "the last line of a source does not end, as in a file that was cut short",
    remedy: "see whether the file is whole, and fetch it again if it is not",
  },
  "source-tail-gone": {
    cause:
      "a source lost two or more rows since the last apply, and they are exactly its last ones: so looks a file that was cut short",
    remedy: "if the file is whole, approve exactly that plan: apply --approve HASH; or prove it with complete.manifest",
  },
  "manifest-mismatch": {
    cause: "a source is not the file that its manifest describes",
    remedy: "see whether the file is whole, and fetch it again if it is not",
  },
  "manifest-malformed": {
    cause: "the manifest of a source has no row count or no checksum",
    remedy: 'write { "rows": 38000, "sha256": "…" }, the rows without the header and the SHA-256 of the file',
  },
  "unknown-source": {
    cause: "from or --source names a source that the project does not declare",
    remedy: "correct its name, or declare it under sources",
  },
  "source-without-file": { cause: "a source names no file, or two", remedy: "give either csv or ndjson" },
  "unknown-column": {
    cause: "the file has no column of the name that fields or labels give",
    remedy: "correct the name, or have the column exported",
  },
  "duplicate-column": {
    cause: "a column that is read stands twice in the header",
    remedy: "give each column a name of its own",
  },
  "unknown-field": {
    cause: "fields names a value that a source cannot give",
    remedy: "use hostname, custom_metadata.NAME, or a value that the message lists; other values come from policies",
  },
  "row-without-hostname": { cause: "a row has no hostname", remedy: "fill in the cell, or remove the row" },
  "wrong-cell-count": {
    cause: "a row has more or fewer cells than the header",
    remedy: "put cells that hold the delimiter in quotes, and leave nothing between delimiters for an empty cell",
  },
  "csv-open-quote": {
    cause: "the file ends inside of a quoted cell",
    remedy: "close the quote; if the file was cut short, fetch it again",
  },
  "csv-quote": {
    cause: "a quote stands in the middle of a cell",
    remedy: "put the whole cell in quotes, and write a quote inside of it twice",
  },
  "csv-record-too-long": {
    cause: "a record is far longer than any row; mostly a quote is not closed",
    remedy: "close the quote where the record begins",
  },
  "csv-syntax": { cause: "the file is not valid CSV at that place", remedy: "mend it there" },
  "ndjson-syntax": { cause: "a line is no JSON object", remedy: "write one JSON object on each line" },
  "ndjson-line-too-long": { cause: "a line is far longer than any row", remedy: "write one JSON object on each line" },
} as const;
