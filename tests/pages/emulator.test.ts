import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../lib/emulator.ts";
import { accessProblems, browserOfFile, type Look, NO_BROWSER, takePictures } from "../support/browser.ts";
import { runBuilt } from "../support/command.ts";
import { seedOf, START, ZONE_ID } from "../support/emulator.ts";
import { appliedWorlds, DEV } from "../support/project.ts";

const appliedWorld = appliedWorlds();
const SHOP = "shop.northwind-books.com";

describe.skipIf(NO_BROWSER !== undefined)(`the emulator's page${NO_BROWSER ?? ""}`, () => {
  const open = browserOfFile();

  /** Opens the page of an emulator, and checks at the end that it ran nothing foreign and called nobody else. */
  async function opened(emulator: Emulator, look?: Look): Promise<Page> {
    const { page, complaints } = await open(emulator.pageUrl, look);
    await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
    onTestFinished(() => {
      expect(complaints).toEqual([]);
    });
    return page;
  }

  async function started(options: EmulatorOptions = {}): Promise<Emulator> {
    const emulator = await startEmulator({ clock: "manual", startTime: START, seed: seedOf(), ...options });
    onTestFinished(() => emulator.close());
    return emulator;
  }

  test("an edit in the browser is named by zoneform drift, and the apply that undoes it is seen to do so", async () => {
    const world = await appliedWorld();
    const page = await opened(world.emulator);
    const row = page.getByRole("listitem").filter({ hasText: SHOP });
    await row.getByText("TLS 1.3").waitFor();
    await page.getByRole("button", { name: `Edit ${SHOP}` }).click();
    expect(await accessProblems(page)).toEqual([]);
    await page.getByRole("radio", { name: "TLS 1.0" }).check();
    await page.getByText("The same with curl").click();
    await takePictures(page, "edit");
    await page.getByRole("button", { name: "Save" }).click();
    await row.getByText("TLS 1.0").waitFor();

    const drift = await runBuilt(["drift"], world.surroundings);
    expect(drift).toMatchObject({ code: 3, stderr: "" });
    expect(drift.stdout).toContain(`${SHOP} accepts TLS 1.0 (minimum was 1.3)`);
    const feed = page.getByRole("region", { name: "Requests" });
    await feed
      .getByText(/zoneform\//)
      .first()
      .waitFor();

    // The service deploys the edit for some seconds, and until then Zoneform holds its change.
    await page.getByRole("button", { name: "+1 minute" }).click();
    await row.getByText("active", { exact: true }).waitFor();
    expect((await runBuilt(["apply", "--auto-approve"], world.surroundings)).code).toBe(0);
    await row.getByText("TLS 1.3").waitFor();
    const write = feed.getByRole("listitem").filter({ hasText: "PATCH" });
    await write.locator("summary").click();
    await write.getByText("ssl.settings.min_tls_version").waitFor();
    expect(await write.locator("del").first().textContent()).toBe("1.0");
    expect(await write.locator("ins").first().textContent()).toBe("1.3");
    const command = await write.getByRole("region", { name: "Command" }).textContent();
    expect(command).toContain(`curl -X PATCH "$CLOUDFLARE_BASE_URL"/zones/${DEV}/custom_hostnames/`);
    expect(command).toContain('-H "Authorization: Bearer $CLOUDFLARE_API_TOKEN"');
    expect(await page.content()).not.toContain("demo-token");
    expect(await accessProblems(page)).toEqual([]);
    await takePictures(page, "film");
  });

  test("a colleague says what was edited once zoneform drift has named it", async () => {
    const world = await appliedWorld();
    const page = await opened(world.emulator);
    await runBuilt(["plan"], world.surroundings);
    await page.getByRole("button", { name: "Be a colleague" }).click();
    const told = page.getByRole("complementary", { name: "A colleague" });
    await told.getByText("something is no longer as you left it").waitFor();
    expect(await accessProblems(page)).toEqual([]);

    const drift = await runBuilt(["drift"], world.surroundings);
    expect(drift.code).toBe(3);
    await told.getByText("Zoneform has looked").waitFor();
    const [, edited = ""] =
      /(?:of|hostname|rule "?)\s?([\w.-]+\.\w+|[^"]+)"?/.exec((await told.textContent()) ?? "") ?? [];
    expect(edited).not.toBe("");
    expect(drift.stdout).toContain(edited);
    await takePictures(page, "colleague");
  });

  test("a colleague says what was edited when asked, and not before", async () => {
    const emulator = await started();
    emulator.admin.dashboard("PUT", `/zones/${ZONE_ID}/rulesets/phases/http_request_firewall_custom/entrypoint`, {
      rules: [{ ref: "admin", action: "block", expression: "true" }],
    });
    const page = await opened(emulator);
    await page.getByRole("button", { name: "Be a colleague" }).click();
    const told = page.getByRole("complementary", { name: "A colleague" });
    const ask = told.getByRole("button", { name: "What did you do?" });
    expect(await told.textContent()).not.toMatch(/rule/);
    await ask.click();
    await told.getByText(/^The colleague .*rule/).waitFor();
  });

  test("rules are switched, moved, edited, added and deleted as in the dashboard", async () => {
    const emulator = await started();
    const entry = `/zones/${ZONE_ID}/rulesets/phases/http_request_firewall_custom/entrypoint`;
    const rules = ["admin", "login", "health"].map((ref) => ({
      ref,
      action: "block",
      expression: `http.host eq "${ref}"`,
    }));
    emulator.admin.dashboard("PUT", entry, { rules });
    const live = (): { ref: string; action: string; enabled: boolean; description?: string }[] =>
      JSON.parse(emulator.admin.dashboard("GET", entry).body).result.rules;
    const page = await opened(emulator);
    await page.getByRole("button", { name: "Rules", exact: true }).click();
    await takeRulePictures(page);

    await page.getByRole("switch", { name: "Rule admin is on" }).press("Space");
    await page.getByRole("switch", { name: "Rule admin is on", checked: false }).waitFor();
    expect(live().map(({ enabled }) => enabled)).toEqual([false, true, true]);

    await page.getByRole("button", { name: "Move health up" }).click();
    await page.locator(".rule").nth(1).getByText("health", { exact: true }).first().waitFor();
    expect(live().map(({ ref }) => ref)).toEqual(["admin", "health", "login"]);

    await page.getByRole("button", { name: "Edit login" }).click();
    await page.getByLabel("Action").selectOption("log");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("log", { exact: true }).waitFor();
    expect(live().map(({ action }) => action)).toEqual(["block", "block", "log"]);

    await page.getByRole("button", { name: "Add a rule to Custom rules" }).click();
    await page.getByLabel("Description").fill("quick fix");
    await page.getByLabel("Expression").fill("no such field");
    await page.getByRole("button", { name: "Add it at the top" }).click();
    await page.getByRole("alert").getByText(/./).waitFor();
    await page.getByLabel("Action").selectOption("skip");
    await page.getByLabel("Expression").fill("true");
    await page.getByRole("button", { name: "Add it at the top" }).click();
    await page.getByRole("button", { name: "Delete quick fix" }).waitFor();
    expect(live()[0]).toMatchObject({
      description: "quick fix",
      action: "skip",
      action_parameters: { ruleset: "current" },
    });

    await page.getByRole("button", { name: "Delete admin" }).click();
    await page.getByRole("button", { name: "Delete admin" }).waitFor({ state: "detached" });
    expect(
      live()
        .map(({ ref }) => ref)
        .slice(1),
    ).toEqual(["health", "login"]);
    expect(await accessProblems(page)).toEqual([]);
  });

  async function takeRulePictures(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Edit login" }).waitFor();
    await takePictures(page, "rules");
  }

  test("the clock moves and stops, and a switched fault hits clients but not the page", async () => {
    const emulator = await started();
    const page = await opened(emulator);
    const clock = page.getByRole("group", { name: "The emulator's clock" });
    await clock.getByText("18:11:23").waitFor();
    await clock.getByRole("button", { name: "+1 minute" }).click();
    await clock.getByText("18:12:23").waitFor();
    await clock.getByRole("button", { name: "+1 day" }).click();
    await clock.getByText("2026-02-07").waitFor();
    await clock.getByRole("button", { name: "Run" }).click();
    await clock.getByRole("button", { name: "Stop" }).click();
    await clock.getByText("stopped").waitFor();
    expect(emulator.now()).toBeGreaterThanOrEqual(Date.parse(START) + 86_460_000);

    await page.getByRole("button", { name: "Faults" }).click();
    expect(await accessProblems(page)).toEqual([]);
    await page.getByRole("switch", { name: "Status 500" }).click();
    await page.getByRole("switch", { name: "Status 500", checked: true }).waitFor();
    const verify = (): Promise<Response> =>
      fetch(`${emulator.url}/user/tokens/verify`, { headers: { authorization: "Bearer all" } });
    expect([(await verify()).status, (await verify()).status]).toEqual([500, 500]);
    await page.getByRole("switch", { name: "Status 500" }).click();
    await page.getByRole("switch", { name: "Status 500", checked: false }).waitFor();
    expect((await verify()).status).toBe(200);
    await page.keyboard.press("Escape");
    await page.getByText("fault: status").first().waitFor();
  });

  test("settings of the zone are edited, and what the service refuses is said in its words", async () => {
    const emulator = await started();
    const page = await opened(emulator);
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("button", { name: "Edit Minimum TLS version" }).click();
    await page.getByLabel("Value").selectOption("1.2");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("listitem").filter({ hasText: "Minimum TLS version" }).getByText("1.2").waitFor();
    await page.getByRole("button", { name: "Edit Fallback origin" }).click();
    await page.getByLabel("Value").fill("not a name");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText(/./).waitFor();
    expect(await accessProblems(page)).toEqual([]);
  });

  test("a request that the emulator does not know stands first", async () => {
    const emulator = await started();
    const page = await opened(emulator);
    const headers = { authorization: "Bearer all" };
    for (const path of ["/bot_management", "/settings/ssl"])
      await fetch(`${emulator.url}/zones/${ZONE_ID}${path}`, { headers });
    const first = page.getByRole("region", { name: "Requests" }).getByRole("listitem").first();
    await first.getByText("saas.net/bot_management").waitFor();
    await page.getByRole("heading", { name: "The emulator has no such call" }).waitFor();
  });

  test("hostile values stay text", async () => {
    const HOSTILE = `<img src="https://evil.example/x" onerror="globalThis.ran=true"></script><script>globalThis.ran=true</script>\u202egnp`;
    const emulator = await started({
      seed: seedOf({
        name: "saas.net",
        custom_hostnames: [{ hostname: "shop.acme.com", custom_metadata: { [HOSTILE]: HOSTILE } }],
        rulesets: [
          {
            phase: "http_request_firewall_custom",
            rules: [{ ref: "a", description: HOSTILE, action: "block", expression: "true" }],
          },
        ],
      }),
    });
    const page = await opened(emulator);
    const headers = {
      authorization: "Bearer all",
      "user-agent": HOSTILE.slice(0, 40),
      "content-type": "application/json",
    };
    const body = JSON.stringify({ custom_metadata: { [HOSTILE]: HOSTILE } });
    await fetch(`${emulator.url}/zones/${ZONE_ID}/'$(id)'%3Cimg%3E?q=<img>`, { headers });
    const [{ id }] = JSON.parse(emulator.admin.dashboard("GET", `/zones/${ZONE_ID}/custom_hostnames`).body).result;
    await fetch(`${emulator.url}/zones/${ZONE_ID}/custom_hostnames/${id}`, { method: "PATCH", headers, body });
    await page
      .getByText(/evil\.example/)
      .first()
      .waitFor();
    for (const summary of await page.locator(".feed summary").all()) await summary.click();
    await page
      .locator(".feed")
      .getByText(/-d '\{"custom_metadata"/)
      .waitFor();
    await page.getByRole("button", { name: "Rules", exact: true }).click();
    await page
      .locator(".rule")
      .getByText(/evil\.example/)
      .first()
      .waitFor();
    expect(await page.locator("img, script:not(#data):not(#page ~ script)").count()).toBe(0);
    expect(await page.evaluate("globalThis.ran")).toBeUndefined();
    expect(await page.locator(".rule").getByText("U+202E").count()).toBe(1);
  });

  test("a zone with 10,000 hostnames shows 50 at a time, and finds each of them", async () => {
    const custom_hostnames = Array.from({ length: 10_000 }, (_, index) => ({ hostname: `shop-${index}.acme.com` }));
    const emulator = await started({ seed: seedOf({ custom_hostnames }) });
    const page = await opened(emulator);
    await page.getByText("1 to 50 of 10,000").waitFor();
    expect(await page.locator(".hostname").count()).toBe(50);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("51 to 100 of 10,000").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("body").press("/");
    await page.keyboard.type("shop-9999");
    await page.getByRole("button", { name: "Edit shop-9999.acme.com" }).waitFor();
    expect(await page.locator(".hostname").count()).toBe(1);
  });

  test("it is used by keyboard alone: / searches, Escape closes a window and goes back to its button", async () => {
    const emulator = await started({ seed: seedOf({ custom_hostnames: [{ hostname: "shop.acme.com" }] }) });
    const page = await opened(emulator);
    const edit = page.getByRole("button", { name: "Edit shop.acme.com" });
    await edit.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "shop.acme.com" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await edit.evaluate((button) => button.matches(":focus"))).toBe(true);
    await page.keyboard.press("/");
    expect(await page.getByLabel("Search hostnames").evaluate((field) => field.matches(":focus"))).toBe(true);
  });

  test("in the dark and on a phone nothing is wider than the screen or hard to reach, and the requests are a view of their own there", async () => {
    const world = await appliedWorld();
    const page = await opened(world.emulator, { width: 390, scheme: "dark" });
    await world.zoneform("drift");
    for (const name of ["Rules", "Settings", "Requests", "Hostnames"]) {
      await page.getByRole("button", { name, exact: true }).click();
      expect(await page.getByRole("region", { name: "Requests" }).isVisible()).toBe(name === "Requests");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
      expect(await accessProblems(page)).toEqual([]);
    }
    await page.getByRole("button", { name: `Edit ${SHOP}` }).click();
    expect(await accessProblems(page)).toEqual([]);
  });

  test("it goes on when the emulator was started again", async () => {
    const first = await startEmulator({ clock: "manual", seed: seedOf() });
    const { page } = await open(first.pageUrl);
    await page.getByText("live", { exact: true }).waitFor();
    const headers = { authorization: "Bearer all" };
    for (const path of ["/accounts", "/user/tokens/verify"]) await fetch(`${first.url}${path}`, { headers });
    await page.getByText("/user/tokens/verify").waitFor();
    await first.close();
    await page.getByText("not connected").waitFor();
    const again = await started({ port: Number(new URL(first.url).port) });
    await page.getByText("live", { exact: true }).waitFor();
    await fetch(`${again.url}/zones`, { headers });
    const feed = page.getByRole("region", { name: "Requests" });
    await feed.getByText("/zones", { exact: true }).waitFor();
    expect(await feed.getByRole("listitem").count()).toBe(1);
  });

  test("a guarded emulator is opened with its token only", async () => {
    const emulator = await started({ adminToken: "a-token-of-the-test" });
    const { page } = await open(emulator.pageUrl);
    await page.getByLabel("Token").fill("another");
    await page.getByRole("button", { name: "Open" }).click();
    await page
      .getByRole("alert")
      .getByText(/needs the header X-Emulator-Token/)
      .waitFor();
    expect(await accessProblems(page)).toEqual([]);
    await page.getByLabel("Token").fill("a-token-of-the-test");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("button", { name: "saas.net" }).waitFor();
  });
});
