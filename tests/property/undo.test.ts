import { expect, test } from "vitest";
import type { Random } from "../../lib/core/clock.ts";
import { changesOf, failuresOf, inWords, seededRandom } from "../support/engine.ts";
import { inFull } from "../support/full.ts";
import { appliedRig, type Configuration, liveValues, settle, apply, undo } from "../support/undoing.ts";

/** A configuration that sets every field that any other one sets, so that each can be undone to each. */
function drawn(random: Random): Configuration {
  const one = <T>(first: T, ...others: readonly T[]): T =>
    [first, ...others][Math.floor(random.fraction() * (others.length + 1))] ?? first;
  const names = ["a.net", "b.net", "c.net", "d.net", "e.net"].filter(() => random.fraction() < 0.7);
  const refs = ["sec/1", "sec/2", "sec/3", "sec/4"].filter(() => random.fraction() < 0.7);
  if (random.fraction() < 0.5) refs.reverse();
  return {
    fallback: one("fallback.saas.net", "fallback2.saas.net"),
    hostnames: names.map((hostname) => ({
      hostname,
      custom_origin_server: one("origin1.saas.net", "origin2.saas.net"),
      custom_metadata: { tier: one("gold", "silver") },
      ssl: {
        method: one("http", "txt"),
        type: "dv",
        settings: { min_tls_version: one("1.0", "1.2"), http2: one("on", "off") },
      },
    })),
    rules: refs.map((ref) => ({
      ref,
      action: one("block", "log"),
      expression: one('http.request.uri.path eq "/a"', 'http.request.uri.path eq "/b"'),
      enabled: one(true, false),
    })),
    totalTls: one(true, false),
  };
}

const PAIRS = inFull(100, 30);

test(`apply and undo restore what was before, for ${PAIRS} drawn pairs; undoing the undo restores the apply`, async () => {
  const met = new Set<string>();
  for (let seed = 1; seed <= PAIRS; seed++) {
    const random = seededRandom(seed);
    const rig = await appliedRig(drawn(random));
    const before = liveValues(rig);
    await apply(rig, drawn(random));
    const after = liveValues(rig);

    const back = await undo(rig);
    for (const { kind, action } of changesOf(back.plan)) met.add(`${action} ${kind}`);
    expect(inWords(changesOf(back.plan).filter(({ refused }) => refused))).toEqual([]);
    expect(failuresOf(await rig.apply(back.plan))).toEqual([]);
    await settle(rig);
    expect(liveValues(rig), `seed ${seed}`).toEqual(before);
    expect(inWords(changesOf((await undo(rig, back.run)).plan)), `seed ${seed}, twice`).toEqual([]);

    const again = await undo(rig);
    expect(failuresOf(await rig.apply(again.plan))).toEqual([]);
    await settle(rig);
    expect(liveValues(rig), `seed ${seed}, undo of undo`).toEqual(after);
  }
  expect([...met].sort()).toEqual(
    expect.arrayContaining([
      "create custom_hostname",
      "delete custom_hostname",
      "update custom_hostname",
      "update fallback_origin",
      "update ruleset",
      "update total_tls",
    ]),
  );
});
