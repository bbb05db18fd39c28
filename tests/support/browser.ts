import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { ROOT } from "./command.ts";

const CHROMIUM = "/usr/bin/chromium";

/** The end of the title of tests that need a browser, where there is none. */
export const NO_BROWSER: string | undefined = existsSync(CHROMIUM) ? undefined : `, skipped: there is no ${CHROMIUM}`;

/** Everything that a page waits for takes less than this. */
const PATIENCE_MILLISECONDS = 30_000;

/** The widths of a phone and of a desk, in pixels. */
const WIDTHS = [390, 1440] as const;

const SCREENSHOTS = join(ROOT, "tests/pages/screenshots");

/** A page in the browser, and what it did that no page of ours may do. */
export interface Opened {
  readonly page: Page;
  /** What the console said, errors of the page, and the addresses of requests to anything but the server of the page. */
  readonly complaints: string[];
}

/** One browser for all tests of a file. Returns a function that opens an address in a window of its own. */
export function browserOfFile(): (address: string, look?: Look) => Promise<Opened> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (NO_BROWSER !== undefined) return;
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox"],
      timeout: PATIENCE_MILLISECONDS,
    });
  });
  afterAll(() => browser?.close());
  return async (address, look = {}) => {
    if (browser === undefined) throw new Error("there is no browser");
    return openIn(browser, address, look);
  };
}

/** How a window looks at first: as on a desk, light, when absent. */
export interface Look {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
  readonly hasScript?: boolean;
}

async function openIn(browser: Browser, address: string, look: Look): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1440, height: look.width === 390 ? 844 : 900 },
    colorScheme: look.scheme ?? "light",
    reducedMotion: "reduce",
    javaScriptEnabled: look.hasScript ?? true,
    locale: "en-GB",
    timezoneId: "UTC",
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE_MILLISECONDS);
  // Ahead of the page's own script, because its policy refuses every other script.
  await context.addInitScript({ content: axe.source });
  const page = await context.newPage();
  const complaints: string[] = [];
  const own = new URL(address).origin;
  page.on("console", (message) => {
    // The browser itself reports each answer that is a refusal.
    const isRefusal = message.text().startsWith("Failed to load resource: the server responded with a status of");
    if (["error", "warning"].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const { origin, protocol, href } = new URL(request.url());
    if (protocol !== "data:" && (own === "null" ? href !== address : origin !== own)) complaints.push(href);
  });
  await page.goto(address);
  return { page, complaints };
}

/** What axe calls serious or critical on the page as it is now, one line for each rule. */
export async function accessProblems(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>("axe.run(document)");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}

interface Violation {
  readonly id: string;
  readonly impact?: string | null;
  readonly nodes: readonly { readonly target: readonly unknown[] }[];
}

/**
 * Writes pictures of the page as it is now: as on a phone and as on a desk, light and dark. Only if ZONEFORM_SCREENSHOTS is set,
 * because fonts differ between machines: people look at them, and no test compares them.
 */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (process.env["ZONEFORM_SCREENSHOTS"] === undefined) return;
  await mkdir(SCREENSHOTS, { recursive: true });
  const before = page.viewportSize();
  for (const width of WIDTHS)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`) });
    }
  await page.emulateMedia({ colorScheme: "light" });
  if (before !== null) await page.setViewportSize(before);
}
