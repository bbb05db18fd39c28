import type { Mutant } from "./mutant.ts";

/** Mistakes about what a zone always has: its hold and its settings. */
export const SETTINGS: readonly Mutant[] = [
  {
    name: "hold-set-again",
    why: "an existing hold is set again, and the end of its suspension is lost",
    file: "lib/kinds/zone-hold/kind.ts",
    find: `if (live["hold"] !== true) return { method: "POST"`,
    replace: `if (values["hold"] === true) return { method: "POST"`,
    // Few seeds change a hold that is suspended; this test does.
    caughtBy: { test: "tests/unit/kinds/zone-hold/zone-hold.test.ts", title: "and never set anew" },
  },
  {
    name: "hold-kept",
    why: "a hold that is no longer wanted is reported as released, and stays",
    file: "lib/kinds/zone-hold/kind.ts",
    find: `if (values["hold"] !== true) return { method: "DELETE" };`,
    replace: `if (values["hold"] !== true) return { method: "PATCH", body: {} };`,
  },
  {
    name: "setting-without-a-look",
    why: "a setting is written as the plan saw it, over a later edit",
    file: "lib/kinds/define-setting.ts",
    find: "read: (client, zone, { key }, signal) => fetchLive(client, zone, key, signal),",
    replace: "read: async (_client, _zone, live) => live,",
  },
  {
    name: "setting-of-another-name",
    why: "if several settings are declared, each gets the value of the first",
    file: "lib/kinds/define-setting.ts",
    find: 'for (const key of setting.keys ? keys : [""]) yield await fetchLive(client, zone, key, signal);',
    replace: `for (const key of setting.keys ? keys : [""]) yield { ...(await fetchLive(client, zone, [...keys][0] ?? key, signal)), key };`,
  },
];
