import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { at, text } from "../support/emulator.ts";
import { accessProblems, browserOfFile, NO_BROWSER, type Opened, takePictures } from "../support/browser.ts";
import { appliedWorlds, DEV, type World } from "../support/project.ts";

describe.skipIf(NO_BROWSER !== undefined)(`the page of each command${NO_BROWSER ?? ""}`, () => {
  const applied = appliedWorlds();
  const open = browserOfFile();

  /** Runs a command, and opens its page as on a phone and as on a desk. */
  async function pageOf(world: World, command: string, ...args: readonly string[]): Promise<Opened> {
    const ended = await world.zoneform(command, ...args, "--report", `html=${command}.html`);
    expect(ended.stderr).not.toContain("error");
    const opened = await open(pathToFileURL(join(world.folder, `${command}.html`)).href);
    await opened.page.waitForSelector("html[data-live]");
    expect(opened.complaints).toEqual([]);
    expect(await accessProblems(opened.page)).toEqual([]);
    await takePictures(opened.page, `report-${command}`);
    return opened;
  }

  const verdict = ({ page }: Opened): Promise<string> => page.getByRole("heading", { level: 1 }).innerText();
  const cards = ({ page }: Opened): Promise<readonly string[]> => page.locator(".card .words").allInnerTexts();

  test("plan: each danger is a card, and a changed expression stands beside the old one", async () => {
    const world = await applied();
    await openPullRequest(world);
    const plan = await pageOf(world, "plan");
    expect(await verdict(plan)).toContain("6 changes");
    expect(await cards(plan)).toEqual([
      "DANGER 2 hostnames go offline (blocked)",
      expect.stringContaining("DANGER 3 hostnames accept TLS 1.2"),
      expect.stringContaining("DANGER skip rule"),
    ]);
    const rule = plan.page.locator(".item", { hasText: "sec/skip-uploads" });
    expect(await rule.locator("del").innerText()).toContain('"/upload"');
    expect(await rule.locator("ins").innerText()).toContain('"/"');
    await plan.page.getByRole("button", { name: "2 blocked in saas.dev: show them" }).click();
    expect(await plan.page.locator(".item .what").allInnerTexts()).toEqual([
      expect.stringContaining("delete 2 hostnames"),
    ]);
  });

  test("apply: what was done, and what somebody changed since the plan", async () => {
    const world = await applied();
    await openPullRequest(world);
    await world.zoneform("plan", "--out", "pr.zfplan");
    editTls(world, "1.1");
    const apply = await pageOf(world, "apply", "pr.zfplan");
    expect(await verdict(apply)).toContain("1 conflict, 2 blocked");
    expect(await apply.page.getByText("now 1.1; the plan sets 1.2").isVisible()).toBe(true);
  });

  test("drift: what was changed, beside what was applied", async () => {
    const world = await applied();
    editTls(world, "1.1");
    const drift = await pageOf(world, "drift");
    expect(await cards(drift)).toEqual([expect.stringContaining("www.northwind-books.com accepts TLS 1.1")]);
    expect(await drift.page.locator(".item ins").first().innerText()).toContain("1.1");
  });

  test("status: what needs attention, with plots of hostnames, certificates and the last drift checks", async () => {
    const world = await applied();
    for (const version of ["1.3", "1.1", "1.0"]) {
      editTls(world, version);
      world.emulator.advance(3_600_000);
      await world.zoneform("drift");
    }
    const status = await pageOf(world, "status");
    expect(await verdict(status)).toBe("1 of 2 zones needs attention.");
    expect(await status.page.locator("figcaption").allInnerTexts()).toEqual([
      "Hostnames by status",
      "Certificates by CA",
      "Certificates by month of expiry",
      "Drift in saas-app.dev, by its last checks",
      "Drift in saas.dev, by its last checks",
    ]);
  });
});

/** Edits that look harmless: a minimum of TLS, the path of a rule, and two rows of the CSV. */
async function openPullRequest(world: World): Promise<void> {
  const zone = "zones/saas-dev.yaml";
  await world.edit(zone, 'min_tls_version: "1.3", http2', 'min_tls_version: "1.2", http2');
  await world.edit(zone, '"/upload")', '"/")');
  await world.edit(
    zone,
    "total_tls:",
    "deletion_limits: { custom_hostname: { percent: 10%, count: 1 } }\n\ntotal_tls:",
  );
  await world.edit("data/customers.csv", /^(?:portal\.alpine|track\.meridian).*\n/gm, "");
}

/** What a colleague does in the dashboard. */
function editTls(world: World, version: string): void {
  const live = world.hostname(DEV, "www.northwind-books.com");
  const settings = { ...Object(at(live, "ssl.settings")), min_tls_version: version };
  world.dashboard(DEV, "PATCH", `custom_hostnames/${text(live, "id")}`, {
    ssl: { method: "http", type: "dv", settings },
  });
  world.emulator.advance(600_000);
}
