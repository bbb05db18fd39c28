import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { APP, appliedWorlds, DEV } from "../support/project.ts";

const appliedWorld = appliedWorlds();

test("what a shared layer changes in several zones is one line, and what only one zone has stays with it", async () => {
  const world = await appliedWorld();
  await world.edit("profiles/tls.yaml", 'min_tls_version: "1.2"', 'min_tls_version: "1.1"');
  await world.edit(
    "data/customers.csv",
    "status.harbour-coffee.com,silver,,us",
    "status.harbour-coffee.com,silver,pool-us.saas.dev,us",
  );
  const { stdout } = await world.zoneform("plan", "--report", "markdown=comment.md");
  const [, several = ""] = stdout.split("\nIn several zones\n");
  const [common = "", own = ""] = several.split("\nsaas.dev\n");
  expect(common).toContain(
    "~ update 8 hostnames in saas-app.dev and saas.dev, DANGER (config)  profiles/tls.yaml:15:50",
  );
  expect(common).toContain(
    "saas-app.dev/two.tenant-beta.com, saas.dev/book.seaside-cottages.co.uk, saas.dev/checkout.harbour-coffee.com and 5 more",
  );
  expect(own).toContain("~ update status.harbour-coffee.com, DANGER (config)");
  expect(stdout.match(/^~ update/gm)).toHaveLength(2);
  const comment = await readFile(join(world.folder, "comment.md"), "utf8");
  expect(comment).toContain("### In several zones\n");
  expect(comment.match(/update 8 hostnames in saas-app.dev and saas.dev/g)).toHaveLength(1);
});

test("an object that each of several zones has is named once, with its zones", async () => {
  const world = await appliedWorld();
  const file = join(world.folder, "zones/saas-app.yaml");
  const declared = "total_tls: { enabled: true, certificate_authority: google }";
  await writeFile(file, `${await readFile(file, "utf8")}\n${declared}\n`);
  expect((await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev")).code).toBe(0);
  for (const zone of [APP, DEV]) world.dashboard(zone, "POST", "acm/total_tls", { enabled: false });
  const { stdout } = await world.zoneform("plan");
  expect(stdout).toContain(
    [
      "In several zones",
      "",
      "~ update total_tls in saas-app.dev and saas.dev (drift)  zones/saas-app.yaml:16:23 and 1 other place",
      "    enabled  false -> true",
      "",
      "Applying this makes 4 API calls.",
    ].join("\n"),
  );
});
