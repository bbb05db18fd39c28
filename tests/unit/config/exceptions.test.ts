import { expect, test } from "vitest";
import type { HostnameFacts, HostnameRules } from "../../../lib/config/desired.ts";
import { checkExceptions } from "../../../lib/config/check-facts.ts";
import { keptReport } from "../../../lib/config/report.ts";
import type { Diagnostic } from "../../../lib/core/diagnostic.ts";
import { loadZone, sound } from "./project.ts";

function missed(rules: HostnameRules, hostnames: readonly HostnameFacts[]): readonly Diagnostic[] {
  const { report, said } = keptReport();
  checkExceptions(rules, hostnames, report);
  return said;
}

async function rules(): Promise<HostnameRules> {
  const loaded = sound(
    await loadZone(`custom_hostnames:
  lifecycle: app
  exceptions:
    - { match: { hostname: shop.customer.net }, set: { ssl: { method: txt } }, reason: one }
    - { match: { hostname: [a.customer.net, b.customer.net] }, set: { ssl: { method: txt } }, reason: two }
    - { match: { hostname: "*.pos.net", metadata.tier: gold }, set: { ssl: { method: txt } }, reason: three }
`),
  );
  const [zone] = loaded.desired.zones;
  if (!zone) throw new Error("the project has one zone");
  return zone.hostnames;
}

test("the planner learns which exceptions hit none of the live names, each name of a list by itself", async () => {
  const live = ["shopp.customer.net", "a.customer.net", "till.pos.net"];
  const facts = live.map((hostname) => ({ hostname, metadata: { tier: "silver" }, labels: {} }));
  const found = missed(await rules(), facts);
  expect(found.map(({ message, remedy }) => [message, remedy])).toEqual([
    [
      'the exception "one" matches no hostname: there is no hostname "shop.customer.net"',
      'did you mean "shopp.customer.net"?',
    ],
    [
      'the exception "two" matches no hostname: there is no hostname "b.customer.net"',
      'did you mean "a.customer.net"?',
    ],
    [
      'the exception "three" matches no hostname: no hostname has these facts',
      "correct its match, or remove the exception",
    ],
  ]);
});

test("an exception for a hostname that is there, but not as its other facts say, is not told that it is missing", async () => {
  const [, , three] = (await rules()).policies;
  if (!three) throw new Error("there are three exceptions");
  const narrow = { ...three, match: { ...three.match, hostname: ["till.pos.net"] } };
  const facts = [{ hostname: "till.pos.net", metadata: { tier: "silver" }, labels: {} }];
  const found = missed({ ...(await rules()), policies: [narrow] }, facts);
  expect(found.map(({ message }) => message)).toEqual([
    'the exception "three" matches no hostname: "till.pos.net" exists, but does not meet the rest of the match',
  ]);
});

test("exceptions that all hit leave nothing to say", async () => {
  const live = ["shop.customer.net", "a.customer.net", "b.customer.net", "till.pos.net"];
  const facts = live.map((hostname) => ({ hostname, metadata: { tier: "gold" }, labels: {} }));
  expect(missed(await rules(), facts)).toEqual([]);
});
