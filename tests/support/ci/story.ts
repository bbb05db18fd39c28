import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { asObject, object, objects, text } from "../../../lib/core/decode.ts";
import { isObject, type JsonObject } from "../../../lib/core/json.ts";
import { run } from "../command.ts";
import { DEV, ENTRY_POINT } from "../project.ts";
import { type Place, secretsOf } from "./place.ts";
import type { EndedScript, RunningScript } from "./script.ts";

/** An edit of the project. */
export type Edit = (place: Place) => Promise<void>;

/** Adds rows to the CSV of customers. */
export function addHostnames(...names: readonly string[]): Edit {
  return ({ edit }) => edit("edge/data/customers.csv", /$/, names.map((name) => `${name},silver,,eu\n`).join(""));
}

/** Hostnames for an apply that is long enough to be stopped. */
export const MANY: readonly string[] = Array.from({ length: 12 }, (_, index) => `school-${index}.violin-academy.de`);

/** Adds an entry to the zone, at another place than the CSV, so that it merges with an edit of that. */
export function addEntry(name: string): Edit {
  return ({ edit }) => edit("edge/zones/saas-dev.yaml", "  entries:\n", `  entries:\n    - { hostname: ${name} }\n`);
}

/** Changes the CA of Total TLS. */
export const changeTotalTls: Edit = ({ edit }) =>
  edit(
    "edge/zones/saas-dev.yaml",
    "total_tls: { enabled: true, certificate_authority: google",
    "total_tls: { enabled: true, certificate_authority: ssl_com",
  );

/** Changes a setting of hostnames in the other zone. */
export const changeOtherZone: Edit = ({ edit }) =>
  edit("edge/zones/saas-app.yaml", 'min_tls_version: "1.3"', 'min_tls_version: "1.3", http2: "on"');

/** A comment: what the first pull request changes, so that its plan is the whole project. */
export const addComment: Edit = ({ edit }) => edit("edge/zoneform.yaml", /$/, "# edge\n");

/** Commits an edit on a new branch that begins at main. */
export async function commitOn(place: Place, branch: string, edit: Edit): Promise<void> {
  await place.git("checkout", "--quiet", "-b", branch, "main");
  await edit(place);
  await place.commit(branch);
  await place.git("checkout", "--quiet", "main");
}

/** Applies the example by hand, so that a story can begin where something is live. */
export async function applyByHand(place: Place): Promise<void> {
  const env = { CLOUDFLARE_BASE_URL: place.emulator.url, ...secretsOf(place)["zoneform-apply"] };
  expect(await run(["apply", "--auto-approve"], { cwd: join(place.git.folder, "edge"), env })).toMatchObject({
    code: 0,
  });
  place.emulator.advance(600_000);
  place.emulator.requests.reset();
}

/** The writing requests that arrived, with their counts. */
export function writes({ emulator }: Place): readonly string[] {
  return Object.entries(emulator.requests.counts())
    .filter(([request]) => !request.startsWith("GET "))
    .map(([request, count]) => `${request}: ${count}`);
}

/** How many requests for a new hostname have arrived. */
export function created({ emulator }: Place): number {
  return emulator.requests.counts()["POST /zones/:zone/custom_hostnames"] ?? 0;
}

/**
 * Resolves once more hostnames than this were requested. The service does not announce it. Throws what the script printed
 * if that ends before.
 */
export async function createdMoreThan(place: Place, count: number, { ended }: RunningScript): Promise<void> {
  let end: EndedScript | undefined;
  const watch = async (): Promise<void> => {
    end = await ended;
  };
  void watch();
  while (created(place) <= count) {
    if (end) throw new Error(`the script has ended with ${end.code} before:\n${end.output}`);
    await setTimeout(2);
  }
}

/** Switches off the rule that runs the managed rules. */
export const switchOffRule: Edit = ({ edit }) =>
  edit(
    "edge/zones/saas-dev.yaml",
    "with one rule that only logs\n",
    "with one rule that only logs\n        enabled: false\n",
  );

/** Somebody switches that rule on or off in the dashboard. */
export function switchRule({ emulator: { admin } }: Place, { enabled }: { readonly enabled: boolean }): void {
  const answer = asObject(JSON.parse(admin.dashboard("GET", `/zones/${DEV}/${ENTRY_POINT}`).body), "the answer");
  const set = object(answer, "result");
  const found = objects(set, "rules").find(({ ref }) => ref === "sec/managed");
  const { version: _version, last_updated: _updated, ...rule } = found ?? {};
  const path = `/zones/${DEV}/rulesets/${text(set, "id")}/rules/${text(rule, "id")}`;
  expect(admin.dashboard("PATCH", path, { ...rule, enabled })).toMatchObject({ status: 200 });
}

/** Somebody edits a hostname of which the metadata can be repaired at once, and the certificate only once it is active again. */
export function editInTwoParts(place: Place): void {
  const name = "lessons.violin-academy.de";
  place.emulator.admin.setDns(name, { caa: ["pki.goog"] });
  const body = {
    custom_metadata: { tier: "lead" },
    ssl: { type: "dv", method: "http", certificate_authority: "lets_encrypt", settings: { min_tls_version: "1.0" } },
  };
  const path = `/zones/${DEV}/custom_hostnames/${text(hostnameOf(place, DEV, name), "id")}`;
  expect(place.emulator.admin.dashboard("PATCH", path, body)).toMatchObject({ status: 200 });
}

/** Allows no deletion, and removes a customer from the CSV. */
export const removeCustomer: Edit = async ({ edit }) => {
  const limits = "deletion_limits: { custom_hostname: { percent: 100%, count: 0 } }";
  await edit("edge/zones/saas-dev.yaml", "fallback_origin:", `${limits}\nfallback_origin:`);
  await edit("edge/data/customers.csv", "book.seaside-cottages.co.uk,bronze,,eu\n", "");
};

/** The hash that `--approve` takes, as the report of a plan shows it. */
export function hashIn(report: string): string {
  const [, hash] = /\bzf1(?::|&#58;)([0-9a-f]{64})\b/.exec(report) ?? [];
  if (hash === undefined) throw new Error(`there is no hash in ${report}`);
  return `zf1:${hash}`;
}

/** Somebody changes Total TLS in the dashboard. */
export function setTotalTls({ emulator }: Place, authority: string): void {
  const body = { enabled: true, certificate_authority: authority };
  expect(emulator.admin.dashboard("POST", `/zones/${DEV}/acm/total_tls`, body)).toMatchObject({ status: 200 });
}

/** Somebody changes the settings of a hostname in the dashboard. */
export function setHostname(
  place: Place,
  zone: string,
  name: string,
  settings: Readonly<Record<string, string>>,
): void {
  const path = `/zones/${zone}/custom_hostnames/${text(hostnameOf(place, zone, name), "id")}`;
  const body = { ssl: { method: "http", type: "dv", settings: { ...settings } } };
  expect(place.emulator.admin.dashboard("PATCH", path, body)).toMatchObject({ status: 200 });
}

/** Somebody changes the metadata of a hostname in the dashboard. */
export function setMetadata(
  place: Place,
  zone: string,
  name: string,
  metadata: Readonly<Record<string, string>>,
): void {
  const path = `/zones/${zone}/custom_hostnames/${text(hostnameOf(place, zone, name), "id")}`;
  const body = { custom_metadata: { ...metadata } };
  expect(place.emulator.admin.dashboard("PATCH", path, body)).toMatchObject({ status: 200 });
}

/** A live hostname. Throws if there is none, or more than one. */
export function hostnameOf({ emulator }: Place, zone: string, name: string): JsonObject {
  const { body } = emulator.admin.dashboard("GET", `/zones/${zone}/custom_hostnames?hostname=${name}`);
  const answer: unknown = JSON.parse(body);
  const [found, ...more] = isObject(answer) && Array.isArray(answer["result"]) ? answer["result"] : [];
  if (!isObject(found) || more.length > 0) throw new Error(`there is not one ${name}`);
  return found;
}
