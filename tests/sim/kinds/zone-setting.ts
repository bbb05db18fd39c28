import type { Dice } from "../dice.ts";
import type { SimService } from "../sim-service.ts";
import { pathInZone } from "../zones.ts";
import { byDashboard, after, flat, otherThan, type SimKind, textIn, verbOf } from "./kind.ts";

const PATH = "/settings/";

/** Settings that people declare and edit. */
const NAMES = ["min_tls_version", "always_use_https", "ssl"] as const;

const VALUES = {
  min_tls_version: ["1.0", "1.2", "1.3"],
  always_use_https: ["off", "on"],
  ssl: ["full", "flexible", "strict"],
} as const satisfies Readonly<Record<(typeof NAMES)[number], readonly [string, ...string[]]>>;

/** What somebody else does to a setting. */
export type SettingAct = { readonly act: "setting"; readonly name: string; readonly value: string };

export const zoneSetting: SimKind = {
  declared: ({ settings }) =>
    settings.size > 0
      ? { zone_settings: Object.fromEntries([...settings].map(([name, value]) => [name, { value }])) }
      : {},
  wished: (dice, { isGone }) => {
    const name = dice.pick(NAMES);
    return { edit: "setting", name, as: isGone ? null : dice.pick<string>(VALUES[name]) };
  },
  ambushed: (dice, { key }) => [settingEdit(dice, key)],
  editedMeanwhile: (dice, _service, id) => settingEdit(dice, id),
  drifting: (dice) => [anySettingEdit(dice)],
  written: (request) => {
    const name = after(PATH, pathInZone(request.url));
    return name === undefined ? undefined : { key: name, verb: verbOf(request), id: name };
  },
  idAt: (path) => after(PATH, path),
  content: (service, id) => flat({ value: trueSetting(service, id) ?? null }),
  differences: ({ service }, { settings }, { refused }) =>
    [...settings].flatMap(([name, value]) => {
      const live = trueSetting(service, name);
      return refused.has(name) || live === value ? [] : [`${name} is ${live}, wished ${value}`];
    }),
  drifted: (service, { key }, { settings }, leaf) => leaf("value", settings.get(key), trueSetting(service, key)),
  untrue: (service, { action, key, desired }) =>
    action === "update" ? otherThan(desired?.["value"], trueSetting(service, key), "its value") : [],
};

/** An edit of any setting. */
export function anySettingEdit(dice: Dice): SettingAct {
  return settingEdit(dice, dice.pick(NAMES));
}

/** Another value of a setting, or the same one again. */
function settingEdit(dice: Dice, name: string): SettingAct {
  const known = NAMES.find((each) => each === name);
  return { act: "setting", name, value: known ? dice.pick<string>(VALUES[known]) : dice.pick(["on"]) };
}

/** Lets somebody set a setting. */
export function editSetting(service: SimService, { name, value }: SettingAct): void {
  byDashboard(service, "PATCH", `${PATH}${name}`, { value });
}

/** The value of a setting of the zone: only the service knows the defaults of a new zone. */
function trueSetting(service: SimService, name: string): string | undefined {
  return textIn(byDashboard(service, "GET", `${PATH}${name}`), "value");
}
