import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inflateRawSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Hazard } from "../../lib/kinds/hazards.ts";
import { type Line, line } from "../../lib/report/lines/lines.ts";
import { reportData, reportPage } from "../../lib/report/printers/html.ts";
import { reportText } from "../../lib/report/printers/text.ts";
import { planReport } from "../../lib/report/sections/plan.ts";
import type { Item, Report } from "../../lib/report/sections/report.ts";
import { accessProblems, browserOfFile, type Look, NO_BROWSER } from "../support/browser.ts";
import { temporaryFolder } from "../support/disk.ts";
import { aChange as planned, aLeaf, aPlan, aRule, sameChanges } from "../support/plans.ts";

const WORDS = { title: "Plan for edge-prod", madeAt: "2026-11-28 05:00 UTC" };

const HOSTILE = [
  `</script><script>globalThis.ran = true</script>`,
  `</details><img src="https://evil.example/x.png" onerror="globalThis.ran = true">`,
  `"><svg onload=globalThis.ran=true>`,
  `javascript:globalThis.ran=true//`,
  `[x](https://evil.example) @org/admins \`code\` **bold**`,
  "::error::\u001b[31m\u202eevil\u2066\u200b",
];

/** A change of one field of one hostname. */
function aChange(
  hostname: string,
  parts: { readonly value?: string; readonly hazards?: readonly Hazard[] } = {},
): Item {
  const { value = "1.1", hazards = [] } = parts;
  const place = { file: "data/customers.csv", line: 18, column: 1 };
  return {
    lines: [
      {
        ...line(0, `~ update ${hostname}${hazards.length > 0 ? ", DANGER" : ""} (config)`, "warn"),
        aside: "data/customers.csv:18:1",
        place,
      },
      { ...line(4, `origin  a -> ${value}`), field: { name: "origin", before: "a", after: value } },
    ],
    counts: { sort: "changes", count: 1 },
    facets: {
      zone: "saas.dev",
      kind: "custom_hostname",
      action: "update",
      cause: "config",
      hazards,
      addresses: [`custom_hostname["${hostname}"]`],
    },
  };
}

/** One change of the same field of many hostnames. */
function sameChange(names: readonly string[]): Item {
  const { lines, facets = {} } = aChange("many");
  const list: Line = { ...line(4, "names"), names: { all: names, most: 3 } };
  return {
    lines: [line(0, `~ update ${names.length} hostnames (config)`, "warn"), ...lines.slice(1), list],
    facets: { ...facets, addresses: names.map((name) => `custom_hostname["${name}"]`) },
  };
}

function aReport(items: readonly Item[], parts: Partial<Report> = {}): Report {
  return {
    verdict: line(0, `Plan for edge-prod: ${items.length} changes, 1 of them dangerous.`),
    sections: [
      {
        title: line(0, "Hazards: 1 weakens-protection", "heading"),
        items: [
          {
            lines: [line(2, "DANGER  shop.acme.com accepts TLS 1.1 (minimum was 1.2)", "bad", "weakens-protection")],
            facets: {
              kind: "custom_hostname",
              hazards: ["weakens-protection"],
              addresses: [`custom_hostname["shop.acme.com"]`],
            },
          },
        ],
        rank: "hazards",
      },
      {
        table: {
          titles: ["update", "delete", "unchanged"],
          rows: [{ name: "saas.dev", cells: [String(items.length), "-", "40"] }],
        },
        items: [],
        rank: "counts",
      },
      { title: line(0, "saas.dev", "heading"), items, rank: "changes", isSpaced: true },
      {
        items: [
          {
            lines: [
              line(0, "To apply exactly this plan:"),
              { ...line(2, "zoneform apply plan.zfplan"), isCommand: true },
            ],
          },
        ],
        rank: "rest",
      },
    ],
    ...parts,
  };
}

const FEW = [
  aChange("shop.acme.com", { hazards: ["weakens-protection"] }),
  aChange("a.birch.co.uk"),
  aChange("b.birch.co.uk", { value: "pool-eu" }),
];

test("a page is the same for the same report", async () => {
  expect(await reportPage(aReport(FEW), WORDS)).toBe(await reportPage(aReport(FEW), WORDS));
});

test("a page says everything that the text says in full", async () => {
  const changes = [
    ...sameChanges(30),
    planned("new.example.com", "create", {
      leaves: [aLeaf("ssl.method", undefined, "http")],
      hazards: ["needs-customer"],
    }),
    planned("gone.example.com", "delete", { hazards: ["outage"], reason: "no longer declared" }),
    planned("waits.example.com", "held"),
    planned("http_request_firewall_custom", "update", {
      kind: "ruleset",
      rules: [aRule("edit", "admin", "Admins only", { from: 2, to: 2, leaves: [aLeaf("action", "block", "log")] })],
    }),
  ];
  const report = planReport(aPlan([changes]), { apply: "zoneform apply plan.zfplan" });
  const data = JSON.stringify(await reportData(report, WORDS));
  const text = reportText(report, { colour: false, isFull: true });
  const words = new Set(text.split(/[\s,;:()]+/).filter((word) => /\w{2}/.test(word)));
  expect(words.size).toBeGreaterThan(80);
  expect([...words].filter((word) => !data.includes(JSON.stringify(word).slice(1, -1)))).toEqual([]);
});

test("what several zones have in common is found in each of them", async () => {
  const { lines, facets: { zone: _zone, ...facets } = {} } = aChange("many");
  const addresses = ["saas.dev", "saas-app.dev"].map((zone) => `${zone}/total_tls`);
  const { sections } = await reportData(aReport([{ lines, facets: { ...facets, addresses } }]), WORDS);
  const found = sections.flatMap(({ items }) => items).filter((item) => item.facets?.addresses?.length === 2);
  expect(found.map((item) => item.facets?.zones)).toEqual([["saas.dev", "saas-app.dev"]]);
});

test("a page leaves out secrets also where it is compressed", async () => {
  const redact = (text: string): string => text.replaceAll("s3cret", "(sensitive)");
  const items = Array.from({ length: 5000 }, (_item, index) => aChange(`a${index}.acme.com`, { value: "s3cret" }));
  const html = await reportPage(aReport(items), { ...WORDS, redact });
  expect(html).toContain("(sensitive)");
  expect(html).not.toContain("s3cret");
  expect(unpacked(html)).not.toContain("s3cret");
});

test("10,000 different changes take less than a megabyte, and the first of them need no script", async () => {
  const items = Array.from({ length: 10_000 }, (_item, index) =>
    aChange(`shop-${index}.customer-${index % 3000}.com`, { value: `pool-${index}.example` }),
  );
  const html = await reportPage(aReport(items), WORDS);
  expect(html.length).toBeLessThan(1_000_000);
  const shown = html.slice(0, html.indexOf('<script type="application/json"'));
  expect(shown).toContain("accepts TLS 1.1");
  expect(shown).toContain("shop-49.customer-49.com");
  expect(shown).toContain("These are the first 50 of 10,001");
  expect(shown.length).toBeLessThan(200_000);
  expect(unpacked(html)).toContain("shop-9999.customer-999.com");
});

test("a place is a link where the job knows the address of files", async () => {
  const html = await reportPage(aReport(FEW), {
    ...WORDS,
    linkTo: ({ file, line }) => `https://git.example/${file}#L${line}`,
  });
  expect(html).toContain('href="https://git.example/data/customers.csv#L18"');
});

describe.skipIf(NO_BROWSER !== undefined)(`in a browser${NO_BROWSER ?? ""}`, () => {
  const open = browserOfFile();

  async function shown(
    report: Report,
    { look = {}, hash = "" }: { readonly look?: Look; readonly hash?: string } = {},
  ) {
    const file = join(await temporaryFolder(), "plan.html");
    await writeFile(file, await reportPage(report, WORDS));
    const opened = await open(`${pathToFileURL(file).href}${hash}`, look);
    if (look.hasScript !== false) await opened.page.waitForSelector("html[data-live]");
    return opened;
  }

  const count = (page: Page): Promise<string> => page.getByRole("status").innerText();
  const entries = (page: Page): Promise<readonly string[]> => page.locator(".item .what").allInnerTexts();

  test("without a script it shows verdict, dangers, table, changes and commands, and opens them", async () => {
    const more = Array.from({ length: 30 }, (_item, index) => aChange(`a${index}.elm.com`));
    const { page, complaints } = await shown(aReport([...FEW, ...more]), { look: { hasScript: false } });
    await expect.poll(() => page.getByRole("heading", { level: 1 }).innerText()).toContain("1 of them dangerous");
    expect(await page.locator(".card").innerText()).toMatch(/^DANGER shop\.acme\.com accepts TLS 1\.1/);
    expect(await page.getByRole("row", { name: "saas.dev" }).innerText()).toContain("40");
    expect(await page.getByRole("search").count()).toBe(0);
    await page.getByText("update b.birch.co.uk").click();
    expect(await page.locator(".item[open] ins").innerText()).toContain("pool-eu");
    expect(await page.getByText("zoneform apply plan.zfplan").isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("`/` goes to the search, which looks through names, fields, values and files, and says how many it found", async () => {
    const { page } = await shown(aReport(FEW));
    expect(await count(page)).toBe("4 entries");
    await page.keyboard.press("/");
    await page.keyboard.type("POOL-eu");
    expect(await entries(page)).toEqual([expect.stringContaining("b.birch.co.uk")]);
    expect(await count(page)).toBe("1 of 4 entries");
    expect(await page.locator(".item[open] ins").innerText()).toContain("pool-eu");
    await page.keyboard.press("Escape");
    expect(await count(page)).toBe("4 entries");
  });

  test("a search finds one name among 10,000 of one change, and opens it", async () => {
    const names = Array.from({ length: 10_000 }, (_name, index) => `shop-${String(index).padStart(5, "0")}.acme.com`);
    const { page, complaints } = await shown(aReport([sameChange(names)]));
    await page.getByRole("searchbox").fill("shop-07777");
    expect(await page.locator(".item[open] .name-list").innerText()).toBe("shop-07777.acme.com");
    await page.getByRole("searchbox").fill("");
    await page.getByText("update 10000 hostnames").click();
    await page.locator(".names summary").click();
    const table = page.getByRole("table", { name: "Names" });
    expect(await table.getAttribute("aria-rowcount")).toBe("10000");
    expect(await table.getByRole("row").count()).toBeLessThan(100);
    expect(complaints).toEqual([]);
  });

  test("it filters by hazard and by customer, and a count of the table is a filter too", async () => {
    const { page } = await shown(aReport(FEW));
    await page.getByLabel("Customer").selectOption("birch.co.uk");
    expect(await entries(page)).toHaveLength(2);
    await page.getByRole("button", { name: "Show everything" }).click();
    expect(await entries(page)).toHaveLength(3);
    await page.getByRole("button", { name: "Show the changes" }).click();
    expect(await entries(page)).toEqual([expect.stringContaining("shop.acme.com")]);
  });

  test("an address names an entry, an object or a search", async () => {
    const one = await shown(aReport(FEW), { hash: `#${encodeURIComponent('custom_hostname["b.birch.co.uk"]')}` });
    expect(await entries(one.page)).toEqual([expect.stringContaining("b.birch.co.uk")]);
    expect(await one.page.locator(".item[open]").count()).toBe(1);
    await one.page.getByRole("searchbox").fill("acme");
    expect(await entries(one.page)).toEqual([expect.stringContaining("shop.acme.com")]);
    const search = await shown(aReport(FEW), { hash: new URL(one.page.url()).hash });
    expect(await entries(search.page)).toEqual([expect.stringContaining("shop.acme.com")]);
  });

  test("a command is copied by a click", async () => {
    const { page } = await shown(aReport(FEW));
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the command" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("zoneform apply plan.zfplan");
  });

  test("old and new value stand beside each other on a desk and below each other on a phone", async () => {
    const value = 'http.request.uri.path eq "/login"';
    for (const width of [390, 1440]) {
      const { page } = await shown(aReport([aChange("a.acme.com", { value })]), { look: { width } });
      await page.getByText("update a.acme.com").click();
      const [before, after] = await Promise.all(
        ["del", "ins"].map((tag) => page.locator(`.item ${tag}`).boundingBox()),
      );
      expect(before?.y === after?.y).toBe(width === 1440);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    }
  });

  test("the first screen of a phone names each danger among 60 changes, with its ticket", async () => {
    const exception = {
      at: { file: "zones/saas.yaml", line: 26, column: 5 },
      through: 'exception "EDGE-500: scanners"',
    };
    const changes = [
      ...sameChanges(57),
      planned("scanner.gold.com", "update", {
        leaves: [
          aLeaf("ssl.settings.min_tls_version", "1.3", "1.1", {
            origin: { ...exception, isShared: true, until: "2027-01-31" },
          }),
        ],
        hazards: ["weakens-protection"],
        hazardDetails: [{ hazard: "weakens-protection", paths: [["ssl", "settings", "min_tls_version"]] }],
      }),
      planned("http_request_firewall_custom", "update", {
        kind: "ruleset",
        rules: [
          aRule("edit", "EDGE-501", "Uploads skip the scan", {
            from: 1,
            to: 1,
            leaves: [aLeaf("expression", 'http.request.uri.path eq "/a"', 'starts_with(http.request.uri.path, "/")')],
          }),
        ],
        hazards: ["weakens-protection"],
        hazardDetails: [{ hazard: "weakens-protection", rules: ["EDGE-501"] }],
      }),
      planned("old.fir.com", "delete", { hazards: ["outage"], reason: "no longer declared" }),
    ];
    const { page } = await shown(planReport(aPlan([changes])), { look: { width: 390 } });
    const screen = page.viewportSize()?.height ?? 0;
    for (const said of ["old.fir.com goes offline", "scanner.gold.com", "EDGE-500", "until 2027-01-31", "EDGE-501"]) {
      const box = await page.locator(".card").getByText(said).first().boundingBox();
      expect([said, (box?.y ?? screen) + (box?.height ?? 0) < screen]).toEqual([said, true]);
    }
  });

  test("hostile values stay text: none of their scripts runs, and no request is made", async () => {
    const plots = HOSTILE.map((title) => ({ title, sort: "bars", points: [{ label: title, amount: 3 }] }) as const);
    for (const hasScript of [true, false]) {
      const report = aReport(
        HOSTILE.map((text) => aChange(text, { value: text })),
        { plots: () => plots, verdict: line(0, HOSTILE.join(" ")) },
      );
      const { page, complaints } = await shown(report, { look: { hasScript } });
      for (const summary of await page.locator(".item > summary").all()) await summary.click();
      expect(await page.locator('img, a:not([href^="#"])').count()).toBe(0);
      expect(await page.locator(".item").count()).toBe(HOSTILE.length);
      expect(await page.getByRole("heading", { level: 1 }).innerText()).toContain("</script><script>");
      expect(await page.locator(".item").last().innerText()).toContain("U+202E");
      if (hasScript) expect(await page.evaluate("globalThis.ran")).toBeUndefined();
      expect(complaints).toEqual([]);
    }
  });

  test("nothing serious stands between it and a screen reader or a keyboard, open or closed, light or dark", async () => {
    for (const scheme of ["light", "dark"] as const) {
      const { page } = await shown(aReport([...FEW, sameChange(["x.elm.com", "y.elm.com"])]), { look: { scheme } });
      expect(await accessProblems(page)).toEqual([]);
      await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
      expect(await accessProblems(page)).toEqual([]);
    }
  });
});

/** The data of a page that is compressed. */
function unpacked(html: string): string {
  const [, packed = ""] = /id="data">"([^"]+)"<\/script>/.exec(html) ?? [];
  return inflateRawSync(Buffer.from(packed, "base64")).toString();
}
