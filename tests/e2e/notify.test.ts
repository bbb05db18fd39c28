import { createHmac } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { editRules, editTls } from "../support/dashboard.ts";
import { appliedWorlds, freshWorld, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";
import { type Received, startWebhook } from "../support/webhook.ts";

const appliedWorld = appliedWorlds();

const SHOP = "shop.northwind-books.com";
const SECRET = "correct horse battery staple";
const RUN = "3f1c2d4e";

function only(received: readonly Received[]): Received {
  expect(received).toHaveLength(1);
  const [first] = received;
  if (!first) throw new Error("nothing was received");
  return first;
}

async function everyFile({ folder }: World): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && entry.name !== "service.json");
  return (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), "utf8")))).join("\n");
}

test("drift sends its verdict, signed, and only if something was found", async () => {
  const world = await appliedWorld();
  const { url, received } = await startWebhook(200);
  const env = {
    ZONEFORM_NOTIFY_URL: url,
    ZONEFORM_NOTIFY_SECRET: SECRET,
    CI_JOB_URL: `https://gitlab.example/jobs/${RUN}`,
  };
  expect(await world.zoneformWith(env, "drift")).toMatchObject({ code: 0, stderr: "" });
  expect(received).toEqual([]);

  editTls(world, SHOP, "1.0");
  const quiet = await world.zoneform("drift");
  const found = await world.zoneformWith(env, "drift");
  expect(found).toEqual(quiet);
  const { path, headers, body } = only(received);
  expect(path).toBe("/hooks/T0SECRETPATH?token=t0psecret");
  expect(headers["content-type"]).toBe("application/json");
  expect(JSON.parse(body)).toEqual({
    format_version: "zoneform/1.0",
    event: "drift",
    project: "saas-edge",
    verdict: "Drift in project saas-edge: 1 object was changed outside Zoneform.",
    exit_code: 3,
    hazards: [{ hazard: "weakens-protection", count: 1, names: [SHOP] }],
    objects: { count: 1, names: [SHOP] },
    run_url: `https://gitlab.example/jobs/${RUN}`,
  });

  const [id, timestamp] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])];
  expect(timestamp).toMatch(/^\d{10}$/);
  const signature = createHmac("sha256", SECRET).update(`${id}.${timestamp}.${body}`).digest("base64");
  expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
});

test("a comparison with the YAML sends its verdict too", async () => {
  const world = await appliedWorld();
  editTls(world, SHOP, "1.0");
  const { url, received } = await startWebhook(200);
  expect(await world.zoneform("drift", "--against", "config", "--notify", url)).toMatchObject({ code: 3 });
  expect(JSON.parse(only(received).body)).toMatchObject({
    verdict: expect.stringMatching(/^Live differs from the YAML in 1 of \d+ objects of project saas-edge\./),
    hazards: [{ hazard: "weakens-protection", count: 1, names: [SHOP] }],
  });
});

test("a webhook that fails is tried again with the same id; one that stays away is a warning, and the exit code stays", async () => {
  const world = await appliedWorld();
  editTls(world, SHOP, "1.0");
  const slow = await startWebhook(503, 429, 204);
  expect(await world.zoneform("drift", "--notify", slow.url)).toMatchObject({ code: 3, stderr: "" });
  expect(slow.received).toHaveLength(3);
  expect(new Set(slow.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);

  const wrong = await startWebhook(404);
  const ended = await world.zoneform("drift", "--json", "--notify", wrong.url);
  expect(wrong.received).toHaveLength(1);
  expect(ended.code).toBe(3);
  expect(JSON.parse(ended.stdout)).toMatchObject({ exit_code: 3 });
  expect(flat(ended.stderr)).toContain(
    `warning: the notification was not sent to ${new URL(wrong.url).host}: it answered with status 404 [not-notified]`,
  );
  expect(ended.stderr).not.toMatch(/SECRETPATH|t0psecret|said too much/);
});

test("an apply sends how it ended, and its address and secret are in no file and no output", async () => {
  const world = await freshWorld();
  const { url, received } = await startWebhook(200);
  const env = { ZONEFORM_NOTIFY_URL: url, ZONEFORM_NOTIFY_SECRET: SECRET };
  const plan = await world.zoneformWith(env, "plan", "--out", "p.zfplan");
  expect(received).toEqual([]);
  const ended = await world.zoneformWith(env, "apply", "p.zfplan", "--debug", "--json-file", "report.json");
  expect(ended.code).toBe(0);
  const said: unknown = JSON.parse(only(received).body);
  const report = JSON.parse(await readFile(join(world.folder, "report.json"), "utf8"));
  expect(said).toMatchObject({
    event: "apply",
    project: "saas-edge",
    exit_code: 0,
    run: report.run,
    failed: { count: 0 },
  });
  expect(said).toMatchObject({
    verdict: expect.stringMatching(/^Applied \d+ changes in .*\.$/),
    counts: { failed: 0 },
  });
  for (const text of [plan, ended].map(({ stdout, stderr }) => stdout + stderr).concat(await everyFile(world))) {
    expect(text).not.toMatch(/SECRETPATH|t0psecret/);
    expect(text).not.toContain(SECRET);
  }

  expect(await world.zoneformWith(env, "apply", "--auto-approve")).toMatchObject({ code: 0 });
  expect(received).toHaveLength(1);
});

test("an apply that is interrupted sends that", async () => {
  const world = await freshWorld();
  const { url, received } = await startWebhook(200);
  const running = world.start("apply", "--auto-approve", "--parallelism", "1", "--notify", url);
  await world.asked("POST /zones/:zone/custom_hostnames", 2);
  running.kill("SIGINT");
  const { code } = await running.ended;
  const said = JSON.parse(only(received).body);
  expect(said).toMatchObject({ event: "apply", exit_code: code, verdict: expect.stringMatching(/^Interrupted: /) });
  expect(said.counts.not_started).toBeGreaterThan(0);
});

test("a check that failed sends that", async () => {
  const world = await freshWorld();
  const { url, received } = await startWebhook(200);
  const ended = await world.zoneform("drift", "--notify", url);
  expect(ended.code).toBe(1);
  expect(JSON.parse(only(received).body)).toMatchObject({
    event: "drift",
    exit_code: 1,
    verdict: expect.stringMatching(
      /^Drift could not be checked: no state of project saas-edge for saas-app.dev and saas.dev in .*\.$/,
    ),
  });
});

test("Slack gets a text in which no value is a mention, a link or markup", async () => {
  const world = await appliedWorld();
  const ref = "<!channel> @here <https://evil.example|ok> `x` *b* &amp;";
  editRules(world, (rules) => [
    { ref, action: "skip", expression: "true", action_parameters: { ruleset: "current" } },
    ...rules,
  ]);
  const { url, received } = await startWebhook(200);
  expect(await world.zoneform("drift", "--notify", `slack=${url}`)).toMatchObject({ code: 3 });
  const said = JSON.parse(only(received).body);
  expect(said).toMatchObject({ mrkdwn: false, parse: "none", link_names: false, unfurl_links: false });
  expect(said.text).toContain("weakens-protection");
  const { text, blocks } = said;
  for (const shown of [text, JSON.stringify(blocks)]) {
    expect(shown).not.toMatch(/[<>`]/);
    expect(shown).not.toMatch(/@\w/);
  }
  expect(blocks).toEqual([{ type: "section", text: { type: "plain_text", text, emoji: false } }]);
});

test.each([
  ["http://hooks.example/a", "is plain http to a host that is not this machine"],
  ["https://user:pass@hooks.example/a", "contains a user name or a password"],
  ["ftp://hooks.example/a", "begins with ftp: instead of https:"],
  ["https://169.254.169.254/latest", "names a link-local, metadata or multicast address"],
  ["slack=nothing", "is not a URL"],
])("the address %s is refused before anything else, without being repeated", async (url, fault) => {
  const world = await appliedWorld();
  world.emulator.requests.reset();
  const ended = await world.zoneform("drift", "--notify", url);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(flat(ended.stderr)).toContain(`error: the URL of --notify ${fault} [bad-webhook]`);
  expect(ended.stderr).not.toContain(url.slice(8));
  expect(world.emulator.requests.counts()).toEqual({});
});
