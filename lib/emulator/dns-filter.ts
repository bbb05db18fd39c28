import type { DnsRecord } from "./store.ts";

type Match = (text: string, wanted: string) => boolean;

const SUFFIXES: ReadonlyMap<string, Match> = new Map([
  ["", (text, wanted) => text === wanted],
  [".exact", (text, wanted) => text === wanted],
  [".contains", (text, wanted) => text.includes(wanted)],
  [".startswith", (text, wanted) => text.startsWith(wanted)],
  [".endswith", (text, wanted) => text.endsWith(wanted)],
]);

const TEXTS: ReadonlyMap<string, (record: DnsRecord) => string> = new Map([
  ["name", (record) => record.name],
  ["content", (record) => record.content.toLowerCase()],
  ["comment", (record) => (record.comment ?? "").toLowerCase()],
]);

/** The filters and the order of the list of DNS records (docs/service.md#dns-records): `match=any` asks for one that fits. */
export function filterRecords(records: readonly DnsRecord[], query: URLSearchParams): DnsRecord[] {
  const tests = testsOf(query);
  const isAny = query.get("match") === "any" && tests.length > 0;
  const found = records.filter((record) => {
    return isAny ? tests.some((test) => test(record)) : tests.every((test) => test(record));
  });
  return ordered(found, query);
}

function testsOf(query: URLSearchParams): ((record: DnsRecord) => boolean)[] {
  const tests: ((record: DnsRecord) => boolean)[] = [];
  for (const [filter, wanted] of query) {
    const lower = wanted.toLowerCase();
    const [, field = "", suffix = ""] = /^(name|content|comment)(\..*)?$/.exec(filter) ?? [];
    const text = TEXTS.get(field);
    const match = SUFFIXES.get(suffix);
    if (text !== undefined && match !== undefined) tests.push((record) => match(text(record), lower));
    else if (filter === "type") tests.push((record) => record.type === wanted.toUpperCase());
    else if (filter === "proxied") tests.push((record) => String(record.proxied) === wanted);
    else if (filter === "tag") tests.push((record) => record.tags.includes(wanted));
    else if (filter === "search") tests.push((record) => isFound(record, lower));
  }
  return tests;
}

function isFound(record: DnsRecord, wanted: string): boolean {
  return [record.name, record.content, record.comment ?? "", ...record.tags].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

function ordered(records: DnsRecord[], query: URLSearchParams): DnsRecord[] {
  const key = (["type", "name", "content", "ttl", "proxied"] as const).find((known) => known === query.get("order"));
  const sorted =
    key === undefined ? records : records.toSorted((a, b) => (a[key] < b[key] ? -1 : Number(a[key] > b[key])));
  return query.get("direction") === "desc" ? sorted.reverse() : sorted;
}
