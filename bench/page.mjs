// Measures a search in the page of a report with 10,000 changes that are all different, in a real Chromium:
// `npm run bench:page -- [changes]`. Fails if the median of 20 searches takes more than 100 ms longer than in a report with
// hardly any, or if the file is larger than promised. Skipped where there is no Chromium.
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { reportPage } from "../dist/lib/report/printers/html.js";

const CHROMIUM = "/usr/bin/chromium";
const CHANGES = Number(process.argv[2] ?? 10_000);
/** A report of fewer changes is seen at a glance, and has no search. */
const FEW = 30;
const SEARCHES = 20;
const [MOST_MILLISECONDS, MOST_BYTES] = [100, 1_000_000];

if (existsSync(CHROMIUM)) await measure();
else console.log(`page: skipped, there is no ${CHROMIUM}`);

async function measure() {
  const { chromium } = await import("playwright-core");
  const folder = mkdtempSync(join(tmpdir(), "zoneform-page-"));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const short = await searched(browser, join(folder, "short.html"), FEW);
    const full = await searched(browser, join(folder, "full.html"), CHANGES);
    const more = full.median - short.median;
    const words = [
      `${CHANGES} changes: ${Math.round(full.bytes / 1000)} KB, searchable after ${Math.round(full.start)} ms`,
      `the median of ${SEARCHES} searches takes ${full.median.toFixed(1)} ms, ${more.toFixed(1)} ms more than with ${FEW}`,
    ];
    console.log(words.join("; "));
    if (more > MOST_MILLISECONDS) throw new Error(`a search may take ${MOST_MILLISECONDS} ms more`);
    if (full.bytes > MOST_BYTES) throw new Error(`the page may have ${MOST_BYTES / 1000} KB`);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

/** Opens a page with that many changes and searches it, a new text each time. */
async function searched(browser, file, changes) {
  writeFileSync(file, await reportPage(reportOf(changes), { title: "Plan", madeAt: "2026-11-28 05:00 UTC" }));
  const page = await browser.newPage();
  const began = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-live]");
  const start = performance.now() - began;
  const times = [];
  for (let search = 0; search < SEARCHES; search += 1) times.push(await page.evaluate(timeOfSearch, queryOf(search)));
  await page.close();
  return { start, bytes: statSync(file).size, median: times.toSorted((left, right) => left - right)[SEARCHES / 2] };
}

/** Texts that many changes have, that few have, and that none has. */
function queryOf(search) {
  return [`shop-${search}`, `customer-${search * 37}.`, `pool-${search * 401} update`, `nothing-${search}`][search % 4];
}

/** Runs in the page: from the input to the next frame that is painted. */
async function timeOfSearch(query) {
  const field = document.querySelector("input[type=search]");
  const began = performance.now();
  field.value = query;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });
  return performance.now() - began;
}

/** A report of changes of which no two are alike. */
function reportOf(count) {
  const items = Array.from({ length: count }, (_item, index) => {
    const hostname = `shop-${index}.customer-${index % 3000}.com`;
    const [before, after] = [`pool-${index}.old.example`, `pool-${index}.new.example`];
    return {
      lines: [
        { indent: 0, text: `~ update ${hostname} (config)`, style: "warn", aside: `data/customers.csv:${index + 2}:1` },
        { indent: 4, text: "custom_origin_server", field: { name: "custom_origin_server", before, after } },
        {
          indent: 4,
          text: "tier",
          field: { name: "custom_metadata.tier", before: "gold", after: `tier-${index % 7}` },
        },
      ],
      facets: {
        zone: "saas.dev",
        kind: "custom_hostname",
        action: "update",
        cause: "config",
        addresses: [`custom_hostname["${hostname}"]`],
      },
    };
  });
  return { verdict: { indent: 0, text: `Plan: ${count} changes.` }, sections: [{ items, rank: "changes" }] };
}
