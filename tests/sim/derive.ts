import type { KindName } from "../../lib/kinds/kind.ts";
import { OWN_NAME } from "./canary.ts";
import { type Dice, diceOf } from "./dice.ts";
import { type FaultKind, type FaultRates, FIRST_KINDS } from "./faults.ts";
import { watched } from "./drift-job.ts";
import { holding } from "./holding.ts";
import { SIM_KINDS } from "./kinds.ts";
import { TIERS } from "./kinds/custom-hostname.ts";
import { FOREIGN_RULES, RULES } from "./kinds/ruleset.ts";
import type { Ending } from "./machine.ts";
import { migrated } from "./migrating.ts";
import { neighboured } from "./neighbours.ts";
import { operated } from "./operating.ts";
import type { OutsideAct } from "./outside.ts";
import type { Run, Scenario, Session, WafPlan } from "./scenario.ts";
import { rivalled } from "./rivals.ts";
import { weathered } from "./weather.ts";
import type { DiskFault } from "./sim-files.ts";
import type { Edit } from "./wish.ts";

const MOST_HOSTNAMES = 12;
const MOST_SESSIONS = 12;
const MINUTE_MILLISECONDS = 60_000;
const HOUR_MILLISECONDS = 3_600_000;

/** The rates of a seed in all of its sessions: each seed draws its own, so that rare faults coincide in some seeds. */
interface Temper {
  readonly names: readonly [string, ...string[]];
  readonly hasPacks: boolean;
  /** The zone has managed rules to migrate. */
  readonly waf: WafPlan | undefined;
  readonly rates: FaultRates;
  readonly killRate: number;
  readonly cutShare: number;
  readonly diskRate: number;
  readonly outsideRate: number;
  readonly secondRate: number;
}

/** Where the states of a scenario are. */
export type Place = "disk" | "database" | "s3" | "http";

/** The scenario of a seed, with its states at a place. */
export function scenarioOf(seed: number, place: Place = "disk"): Scenario {
  const dice = diceOf(seed);
  const temper = temperOf(dice);
  const sessions = 3 + dice.below(dice.chance(0.7) ? 4 : MOST_SESSIONS - 2);
  const perMinute = dice.pick([4, 8, 15]);
  const drawn: Scenario = {
    seed,
    issuance: { perMinute, reserve: dice.pick([1, 2]) },
    hasWideLimits: dice.chance(0.9),
    behaviour: dice.chance(0.7) ? "described" : "public",
    ...(dice.chance(0.3) ? { pageSize: 5 } : {}),
    ...(temper.waf ? { waf: temper.waf } : {}),
    ...sealingOf(diceOf(seed * 64 + 63)),
    sessions: Array.from({ length: sessions }, (_, index) => sessionOf(diceOf(seed * 64 + index), temper, index === 0)),
  };
  const out = weathered(diceOf(seed * 64 + 62), drawn, temper.names);
  const whole = operated(diceOf(seed * 64 + 61), out, temper.names);
  const peopled = neighboured(diceOf(seed * 64 + 60), whole, temper.names);
  const settled = holding(diceOf(seed * 64 + 59), peopled, temper.names);
  const looked = watched(diceOf(seed * 64 + 55), settled, temper.names);
  const held = migrated(diceOf(seed * 64 + 54), looked);
  if (place === "s3") return { ...held, hasBucket: true };
  if (place === "http") return { ...held, hasHttp: true };
  return place === "database" ? shared(seed, held) : held;
}

/** What several runners and projects need a database for. */
function shared(seed: number, scenario: Scenario): Scenario {
  const hasZonesAtOnce = scenario.hasNeighbour === true && diceOf(seed * 64 + 57).chance(0.7);
  const whole: Scenario = { ...scenario, hasDatabase: true, ...(hasZonesAtOnce ? { hasZonesAtOnce } : {}) };
  return rivalled(diceOf(seed * 64 + 56), whole);
}

/** Uses dice of its own, so that everything else in a seed stays as it would be without. */
function sealingOf(dice: Dice): Pick<Scenario, "sealing"> {
  if (!dice.chance(0.15)) return {};
  const from = dice.below(3);
  return { sealing: { from, changed: from + 1 + dice.below(4) } };
}

function temperOf(dice: Dice): Temper {
  const waf = dice.chance(0.25) ? dice.pick(["business", "enterprise"] as const) : undefined;
  const count = 1 + dice.below(dice.chance(0.7) ? 4 : MOST_HOSTNAMES);
  return {
    names: [
      "h0.customer.net",
      ...Array.from({ length: count - 1 }, (_, index) => `h${index + 1}.customer.net`),
      ...(waf !== "business" && dice.chance(0.2) ? [OWN_NAME] : []),
    ],
    hasPacks: dice.chance(0.3),
    waf,
    rates: ratesOf(dice),
    killRate: dice.pick([0, 0.5, 0.8]),
    cutShare: dice.pick([0, 0.5, 1]),
    diskRate: dice.pick([0, 0, 0.4]),
    outsideRate: dice.pick([0, 0, 0.5]),
    secondRate: dice.pick([0, 0, 0.4]),
  };
}

function ratesOf(dice: Dice): FaultRates {
  const rates: { [kind in FaultKind]?: number } = {};
  if (dice.chance(0.25)) return rates;
  if (dice.chance(0.3)) return { [dice.pick(FIRST_KINDS)]: 0.5 };
  const share = dice.pick([0.1, 0.3]);
  for (const kind of FIRST_KINDS) if (dice.chance(share)) rates[kind] = dice.pick([0.01, 0.03, 0.1]);
  return rates;
}

function sessionOf(dice: Dice, temper: Temper, isFirst: boolean): Session {
  const edits = Array.from({ length: isFirst ? 1 + dice.below(temper.names.length * 2) : dice.below(4) }, () =>
    editOf(dice, temper, isFirst),
  );
  return {
    waitMilliseconds: dice.pick([1000, 60_000, HOUR_MILLISECONDS]),
    edits,
    run: runOf(dice, temper),
    ...(dice.chance(temper.secondRate)
      ? { second: { ...runOf(dice, temper), delayMilliseconds: dice.below(dice.pick([20, 20, 400, 2000])) } }
      : {}),
  };
}

function editOf(dice: Dice, { names, hasPacks, waf }: Temper, isFirst: boolean): Edit {
  const wished = (kind: KindName): Edit => SIM_KINDS[kind].wished(dice, { names, waf, isFirst });
  if (waf && dice.chance(0.25)) return wished("waf_migration");
  const throwOf = dice.fraction();
  if (throwOf < (hasPacks ? 0.65 : 0.78)) return wished("custom_hostname");
  if (throwOf < (hasPacks ? 0.72 : 0.88)) return wished("ruleset");
  if (throwOf < 0.92 && hasPacks) return wished("certificate_pack");
  if (throwOf < 0.94) return wished("fallback_origin");
  if (throwOf < 0.98) return wished("total_tls");
  if (throwOf < 0.99) return { edit: "secret", as: dice.below(2) };
  return { edit: "lifecycle", as: waf === "business" ? "zoneform" : dice.pick(["zoneform", "zoneform", "app"]) };
}

function runOf(dice: Dice, temper: Temper): Run {
  const outside = dice.chance(temper.outsideRate)
    ? Array.from({ length: 1 + dice.below(3) }, () => ({ request: dice.below(14), act: actOf(dice, temper) }))
    : [];
  return {
    dice: dice.next(),
    parallelism: 1 + dice.below(4),
    rates: temper.rates,
    outside,
    ...(dice.chance(temper.killRate) ? { ending: endingOf(dice, temper) } : {}),
    ...(dice.chance(temper.diskRate) ? { diskFault: diskFaultOf(dice) } : {}),
    ...(dice.chance(0.05) ? { abortAt: 1 + dice.below(50) } : {}),
    ...(dice.chance(0.05) ? { outageAt: 1 + dice.below(40) } : {}),
    ...(dice.chance(0.05)
      ? {
          jump: {
            at: 1 + dice.below(40),
            milliseconds: dice.pick([
              -MINUTE_MILLISECONDS,
              2 * MINUTE_MILLISECONDS,
              -HOUR_MILLISECONDS,
              HOUR_MILLISECONDS,
              10 * 365 * 24 * HOUR_MILLISECONDS,
              -10 * 365 * 24 * HOUR_MILLISECONDS,
            ]),
          },
        }
      : {}),
  };
}

function endingOf(dice: Dice, { names, cutShare }: Temper): Ending {
  const at = 1 + dice.below(30 + 8 * names.length);
  const moment = dice.pick(["before", "half", "after"] as const);
  return {
    at,
    moment,
    ...(dice.chance(cutShare) ? { cut: dice.pick(["lose", "keep", "torn", "mixed"] as const) } : {}),
  };
}

function diskFaultOf(dice: Dice): DiskFault {
  return { at: 1 + dice.below(40), code: dice.pick(["EIO", "ENOSPC", "EROFS"] as const), isLasting: dice.chance(0.4) };
}

function actOf(dice: Dice, { names, waf }: Temper): OutsideAct {
  if (waf && dice.chance(0.2)) return { act: dice.chance(0.3) ? "waf-deploy" : "waf-override" };
  const name = dice.chance(0.8) ? dice.pick(names) : `foreign${dice.below(3)}.customer.net`;
  const tier = dice.pick(TIERS);
  const throwOf = dice.fraction();
  if (throwOf < 0.3) return { act: "create", name, tier };
  if (throwOf < 0.55) return { act: "edit", name, tier };
  if (throwOf < 0.75) return { act: "delete", name };
  if (throwOf < 0.85) return { act: "add-rule", name: dice.pick(FOREIGN_RULES) };
  if (throwOf < 0.9) return { act: "edit-rule", name: dice.pick(RULES) };
  if (throwOf < 0.95) return { act: "drop-rule", name: dice.pick(RULES) };
  return { act: "total-tls", enabled: dice.chance(0.5) };
}
