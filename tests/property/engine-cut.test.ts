import { describe, expect, it } from "vitest";
import { Refusal } from "../../lib/core/diagnostic.ts";
import { changesOf, failuresOf, inWords, openRig, type Rig, seededRandom, ZONE } from "../support/engine.ts";
import { inFull } from "../support/full.ts";

const ROWS = 120;
const LINE_END = 0x0a;
const CUTS = inFull(200, 50);
/** The step between the line ends that are tried. */
const LINE_STEP = inFull(1, 4);

interface Format {
  readonly kind: "csv" | "ndjson";
  readonly lineBreak: string;
  /** What the project says about the source's completeness. */
  readonly complete?: object;
  readonly where?: object;
}

const FORMATS: readonly (readonly [string, Format])[] = [
  ["CSV", { kind: "csv", lineBreak: "\n" }],
  ["CSV with CRLF", { kind: "csv", lineBreak: "\r\n" }],
  ["CSV that may shrink by 90%", { kind: "csv", lineBreak: "\n", complete: { max_shrink: "90%" } }],
  ["CSV of at least 60 rows", { kind: "csv", lineBreak: "\n", complete: { min_rows: 60, max_shrink: "90%" } }],
  ["CSV of which the zone gets a part", { kind: "csv", lineBreak: "\n", where: { "label.region": "eu" } }],
  ["NDJSON", { kind: "ndjson", lineBreak: "\n" }],
  ["NDJSON of at least 60 rows", { kind: "ndjson", lineBreak: "\n", complete: { min_rows: 60, max_shrink: "90%" } }],
];

/** Rows that make a cut hard to recognise: quotes, line breaks, empty cells, letters of two bytes. */
function content({ kind, lineBreak }: Format): Buffer {
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    domain: `app${index}.customer${index % 7}.net`,
    note: index % 11 === 0 ? `two\nlines, "quoted" ${index}` : index % 5 === 0 ? "" : `größe ${index}`,
    region: index % 2 === 0 ? "eu" : "us",
  }));
  if (kind === "ndjson") return Buffer.from(rows.map((row) => `${JSON.stringify(row)}${lineBreak}`).join(""));
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map(({ domain, note, region }) => [domain, note, region].map(cell).join(","));
  return Buffer.from(["domain,note,region", ...lines, ""].join(lineBreak));
}

/** A zone in which the whole file has been applied. */
async function applied(format: Format): Promise<Rig> {
  const { kind, complete, where } = format;
  const source = {
    [kind]: "data/customers",
    fields: { hostname: "domain", "custom_metadata.note": "note" },
    labels: { region: "region" },
    ...(complete ? { complete } : {}),
  };
  const rig = openRig({
    files: {
      "zoneform.yaml": {
        version: 1,
        project: "cut",
        zones: ["zones/*.yaml"],
        budget: { api: "100%", issuance: { per_minute: 100_000, reserve: 0 } },
        sources: { customers: source },
      },
      "zones/a.yaml": {
        version: 1,
        zone: ZONE,
        custom_hostnames: { lifecycle: "zoneform", from: [{ source: "customers", ...(where ? { where } : {}) }] },
      },
      "data/customers": content(format),
    },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  expect(changesOf(await rig.plan())).toEqual([]);
  return rig;
}

/** What a plan deletes without asking after the file was cut to this many bytes; nothing if it is refused. */
async function deletions(rig: Rig, whole: Buffer, bytes: number): Promise<readonly string[]> {
  rig.write("data/customers", whole.subarray(0, bytes));
  try {
    return inWords(
      changesOf(await rig.plan()).filter(
        ({ action, refused }) => (action === "delete" || action === "forget") && !refused,
      ),
    );
  } catch (thrown) {
    if (thrown instanceof Refusal) return [];
    throw thrown;
  }
}

describe.each(FORMATS)("a truncated %s file", (_name, format) => {
  const whole = content(format);

  it(`at any of ${CUTS} bytes never deletes more than one hostname`, async () => {
    const rig = await applied(format);
    const random = seededRandom(20_261_121);
    for (let cut = 0; cut < CUTS; cut += 1) {
      const bytes = Math.floor(random.fraction() * whole.length);
      expect((await deletions(rig, whole, bytes)).length, `cut after ${bytes} bytes`).toBeLessThan(2);
    }
  });

  it("at any line end never deletes more than one hostname", async () => {
    const rig = await applied(format);
    const ends = [...whole.keys()].filter((place) => whole[place] === LINE_END);
    for (const [index, end] of ends.reverse().entries()) {
      if (index % LINE_STEP !== 0) continue;
      for (const bytes of [end, end + 1])
        expect((await deletions(rig, whole, bytes)).length, `cut after ${bytes} bytes`).toBeLessThan(2);
    }
  });
});

it("a truncated file deletes if somebody says that it is complete", async () => {
  const format: Format = { kind: "csv", lineBreak: "\n" };
  const rig = await applied(format);
  const whole = content(format).toString("utf8").split("\n");
  const shorter = [...whole.slice(0, 61), ""].join("\n");
  rig.write("data/customers", shorter);
  await expect(rig.plan()).rejects.toThrow(Refusal);
  const rows = (shorter.match(/^app/gm) ?? []).length;
  const changes = changesOf(await rig.plan({ completeSources: ["customers"] }));
  const deletions = changes.filter(({ action }) => action === "delete");
  expect(deletions).toHaveLength(ROWS - rows);
  // The deletion limit holds all the same.
  expect(new Set(deletions.map(({ refused }) => refused?.code))).toEqual(new Set(["deletion-limit"]));
});
