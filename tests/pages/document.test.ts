import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pageDocument, policy } from "#emulator-page";
import { describe, expect, test } from "vitest";
import { browserOfFile, NO_BROWSER } from "../support/browser.ts";
import { temporaryFolder } from "../support/disk.ts";

const HOSTILE = `</script><script>globalThis.ran = true</script><img src="https://evil.example/x.png" onerror="globalThis.ran = true">`;

test("a page's policy allows one script and one style by their hashes, and nothing else to run, to load or to frame it", () => {
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
});

test("values in a page cannot end the element that holds them", () => {
  const page = pageDocument({ title: HOSTILE, data: { [HOSTILE]: HOSTILE } });
  const [, data = ""] = /<script type="application\/json" id="data">(.*)<\/script>\n<script>/.exec(page) ?? [];
  expect(JSON.parse(data)).toEqual({ [HOSTILE]: HOSTILE });
  expect(data).not.toContain("<");
  expect(page).not.toContain("<img");
});

describe.skipIf(NO_BROWSER !== undefined)(`in a browser${NO_BROWSER ?? ""}`, () => {
  const open = browserOfFile();

  test("a page runs its own script and no other, and loads nothing", async () => {
    const file = join(await temporaryFolder(), "page.html");
    await writeFile(
      file,
      pageDocument({ title: HOSTILE, data: { isGuarded: true, [HOSTILE]: HOSTILE }, markup: "<p>No script yet</p>" }),
    );
    const { page, complaints } = await open(pathToFileURL(file).href);
    expect(await page.title()).toBe(HOSTILE);
    expect(await page.getByText("No script yet").count()).toBe(0);
    expect(await page.evaluate("globalThis.ran")).toBeUndefined();
    expect(complaints).toEqual([]);
  });
});
