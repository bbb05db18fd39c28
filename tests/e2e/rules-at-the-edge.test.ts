import { expect, test } from "vitest";
import { at, type Json } from "../support/emulator.ts";
import { freshWorld, type World } from "../support/project.ts";

const BLOCK = `
  http_request_firewall_custom:
    rules:
      - ref: sec/admin
        action: block
        expression: starts_with(http.request.uri.path, "/admin")
`;
const SKIP = `
      - ref: sec/office
        action: skip
        expression: ip.src in {192.0.2.0/24}
        action_parameters: { ruleset: current }`;

/** What a visitor with the address gets, asked of the running emulator. */
async function visit({ emulator }: World, path: string, address: string): Promise<Json> {
  const { origin } = new URL(emulator.url);
  const query = new URLSearchParams({ host: "fallback.saas.dev", path, ip: address });
  const response = await fetch(`${origin}/_admin/edge?${query.toString()}`);
  const answer: Json = JSON.parse(await response.text());
  return at(answer, "result") ?? null;
}

async function statuses(world: World): Promise<readonly unknown[]> {
  const visits = [
    visit(world, "/admin", "203.0.113.9"),
    visit(world, "/admin", "192.0.2.7"),
    visit(world, "/", "203.0.113.9"),
  ];
  return (await Promise.all(visits)).map((result) => at(result, "status"));
}

test("an applied rule blocks at the edge, and a skip that is applied ahead of it lets its requests through", async () => {
  const world = await freshWorld();
  expect(await statuses(world)).toEqual([200, 200, 200]);
  await world.edit("zones/saas-dev.yaml", "entry_points:", `entry_points:${BLOCK.trimEnd()}`);
  expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  expect(await statuses(world)).toEqual([403, 403, 200]);
  expect(at(await visit(world, "/admin", "203.0.113.9"), "rule")).toMatchObject({ ref: "sec/admin", action: "block" });
  await world.edit("zones/saas-dev.yaml", "      - ref: sec/admin", `${SKIP.slice(1)}\n      - ref: sec/admin`);
  expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  expect(await statuses(world)).toEqual([403, 200, 200]);
});
