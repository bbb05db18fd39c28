import fc from "fast-check";
import { expect, test } from "vitest";
import type { LoadedProject } from "../../lib/config/desired.ts";
import { checkSource, type PreviousSource } from "../../lib/config/shrink.ts";
import { load, sound } from "../unit/config/project.ts";

const ROWS = 300;
const REGIONS = ["eu", "us"];
const ZONE = `version: 1
zone: { id: "11111111111111111111111111111111", name: saas.dev }
custom_hostnames:
  lifecycle: zoneform
  from: [{ source: customers, where: { label.region: eu } }]
  policies: [{ name: all, set: { ssl: { method: txt } } }]
`;

function project(kind: "csv" | "ndjson", complete = ""): string {
  return `version: 1
project: cut
zones: [zones/*.yaml]
sources:
  customers:
    ${kind}: data/customers
    fields: { hostname: domain, custom_metadata.note: note }
    labels: { region: region }
    ${complete}
`;
}

function rows(): { domain: string; region: string; note: string }[] {
  return Array.from({ length: ROWS }, (_, index) => ({
    domain: `app-${index}.customer-${index % 7}.net`,
    region: REGIONS[(index * 7) % 2] ?? "eu",
    note: index % 11 === 0 ? `two\nlines, "quoted" ${index}` : index % 5 === 0 ? "" : `größe ${index}`,
  }));
}

function csv(lineBreak: string): string {
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows().map(({ domain, region, note }) => [domain, region, note].map(cell).join(","));
  return ["domain,region,note", ...lines, ""].join(lineBreak);
}

function ndjson(): string {
  return rows()
    .map((row) => `${JSON.stringify(row)}\n`)
    .join("");
}

function names(loaded: LoadedProject): ReadonlySet<string> {
  const objects = loaded.desired.zones.flatMap((zone) => zone.objects);
  return new Set(objects.map(({ key }) => key));
}

async function read(kind: "csv" | "ndjson", content: Uint8Array | string, complete = ""): ReturnType<typeof load> {
  return load({ "zoneform.yaml": project(kind, complete), "zones/a.yaml": ZONE, "data/customers": content });
}

/** Whether a plan may be made, and if so, whether it could delete anything. */
async function deletes(
  kind: "csv" | "ndjson",
  cut: Uint8Array,
  whole: LoadedProject,
  complete: string,
): Promise<string> {
  const loaded = await read(kind, cut, complete);
  if (!loaded.ok) return "refused by reading";
  const [previous] = whole.sources;
  const [current] = loaded.value.sources;
  if (!previous || !current) throw new Error("the zone is fed by one source");
  const remembered: PreviousSource = { rows: previous.rows, last: previous.last };
  const declared = names(loaded.value);
  if (checkSource(remembered, current, (hostname) => declared.has(hostname))) return "refused by the guard";
  const lost = [...names(whole)].filter((name) => !declared.has(name));
  return lost.length === 0 ? "nothing is lost" : `lost ${lost.length}`;
}

const FILES = [
  ["csv", "\n", ""],
  ["csv", "\r\n", ""],
  ["csv", "\n", "complete: { max_shrink: 90% }"],
  ["ndjson", "\n", ""],
] as const;

test.each(FILES)(
  "a %s file (line break %j) cut at any of 200 bytes never loses a hostname; %s",
  async (kind, lineBreak, complete) => {
    const bytes = Buffer.from(kind === "csv" ? csv(lineBreak) : ndjson());
    const whole = sound(await read(kind, bytes, complete));
    expect(names(whole).size).toBe(ROWS / 2);
    const lineEnds = [...bytes.keys()].filter((index) => bytes[index] === 10).map((index) => index + 1);
    // Random bytes seldom hit the end of a line, which is the only dangerous place: a third of them is put there.
    const anywhere = fc.nat({ max: bytes.length - 1 });
    const place = fc.oneof(anywhere, anywhere, fc.constantFrom(...lineEnds.slice(0, -1)));
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(place, async (length) => {
        const outcome = await deletes(kind, bytes.subarray(0, length), whole, complete);
        outcomes.add(outcome);
        expect(outcome).not.toMatch(/^lost/);
      }),
      { numRuns: 200, seed: 20261121 },
    );
    expect([...outcomes]).toContain("refused by the guard");
    expect([...outcomes]).toContain("refused by reading");
  },
);

test("a cut after a row is refused as soon as it takes a row of the zone, be it a single one", async () => {
  const bytes = Buffer.from(csv("\n"));
  const whole = sound(await read("csv", bytes));
  const lastRow = bytes.lastIndexOf("\n", bytes.length - 2) + 1;
  const eu = rows().findLastIndex(({ region }) => region === "eu");
  expect(eu).toBe(ROWS - 2);
  // The last row is of another zone: without it nothing is lost here. Without the one before it, something is.
  expect(await deletes("csv", bytes.subarray(0, lastRow), whole, "")).toBe("nothing is lost");
  const before = bytes.lastIndexOf("\n", lastRow - 2) + 1;
  expect(await deletes("csv", bytes.subarray(0, before), whole, "")).toBe("refused by the guard");
});
