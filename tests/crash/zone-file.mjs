// A small zone that changes a little from run to run, and the project that declares it.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENTRY_POINT, ZONE } from "./service.mjs";

/** How many hostnames a wish has at most. More would only make each run longer. */
const MOST_HOSTNAMES = 7;
const MOST_RULES = 4;
const TIERS = ["bronze", "silver", "gold"];
const VERSIONS = ["1.0", "1.1", "1.2", "1.3"];
const PACKS = [
  ["saas.net", "*.saas.net"],
  ["saas.net", "www.saas.net"],
];
const MANAGED = "efb7b8c949ac4650a09736fc376e9aee";

/** Makes a folder for a project, in the system's temporary folder. */
export function projectFolder() {
  const folder = mkdtempSync(join(tmpdir(), "zoneform-crash-"));
  mkdirSync(join(folder, "zones"));
  const budget = { api: "100%", issuance: { per_minute: 100_000, reserve: 0 } };
  // No deletion limits: whole kinds are deleted and created again here, and other tests cover the limits.
  const limit = { percent: "100%", count: 1000 };
  const deletion_limits = { custom_hostname: limit, certificate_pack: limit };
  write(folder, "zoneform.yaml", { version: 1, project: "crash", zones: ["zones/*.yaml"], budget, deletion_limits });
  return folder;
}

/** The first wish, with this many hostnames. */
export function firstWish(hostnames = 3) {
  return {
    hostnames: Object.fromEntries(
      Array.from({ length: hostnames }, (_, index) => [`h${index}.customer.net`, { tier: "gold", tls: "1.2" }]),
    ),
    rules: [{ ref: "ours/first", host: "first" }],
    packs: [],
    fallback: "fallback.saas.net",
  };
}

/** Makes one to three small changes to the wish, which `random` chooses. */
export function changedWish(wish, random) {
  let next = structuredClone(wish);
  const before = JSON.stringify(wish);
  const count = 1 + random.below(3);
  for (let each = 0; each < count || JSON.stringify(next) === before; each++) next = random.pick(CHANGES)(next, random);
  return next;
}

/** About how many writes an apply makes to get from one wish to another. */
export function writesBetween(before, after) {
  const hostnames = new Set([...Object.keys(before.hostnames), ...Object.keys(after.hostnames)]);
  const pairs = [
    ...[...hostnames].map((name) => [before.hostnames[name], after.hostnames[name]]),
    ...PACKS.map((hosts) => [before, after].map(({ packs }) => packs.some((each) => each.join() === hosts.join()))),
    [before.rules, after.rules],
    [before.fallback, after.fallback],
  ];
  return pairs.filter(([left, right]) => JSON.stringify(left) !== JSON.stringify(right)).length;
}

/** The possible changes. Those of hostnames are listed more often, because most objects are hostnames. */
const CHANGES = [
  add,
  add,
  add,
  drop,
  drop,
  retier,
  retier,
  setTls,
  setTls,
  addRule,
  editRule,
  moveRule,
  dropRule,
  turnFallback,
  turnPack,
];

function add(wish, random) {
  if (Object.keys(wish.hostnames).length >= MOST_HOSTNAMES) return drop(wish, random);
  const name = `h${random.below(20)}.customer.net`;
  wish.hostnames[name] ??= { tier: random.pick(TIERS), tls: random.pick(VERSIONS) };
  return wish;
}

function drop(wish, random) {
  const names = Object.keys(wish.hostnames);
  if (names.length > 1) delete wish.hostnames[random.pick(names)];
  return wish;
}

function retier(wish, random) {
  wish.hostnames[random.pick(Object.keys(wish.hostnames))].tier = random.pick(TIERS);
  return wish;
}

function setTls(wish, random) {
  wish.hostnames[random.pick(Object.keys(wish.hostnames))].tls = random.pick(VERSIONS);
  return wish;
}

function addRule(wish, random) {
  const ref = `ours/${random.below(9)}`;
  const isFree = wish.rules.length < MOST_RULES && wish.rules.every((rule) => rule.ref !== ref);
  if (isFree) wish.rules.splice(random.below(wish.rules.length + 1), 0, { ref, host: String(random.below(5)) });
  return wish;
}

function editRule(wish, random) {
  random.pick(wish.rules).host = String(random.below(5));
  return wish;
}

function moveRule(wish) {
  wish.rules.push(wish.rules.shift());
  return wish;
}

function dropRule(wish, random) {
  if (wish.rules.length > 1) wish.rules.splice(random.below(wish.rules.length), 1);
  return wish;
}

function turnFallback(wish) {
  wish.fallback = wish.fallback === "fallback.saas.net" ? "fallback2.saas.net" : "fallback.saas.net";
  return wish;
}

function turnPack(wish, random) {
  const hosts = random.pick(PACKS);
  const others = wish.packs.filter((each) => each.join() !== hosts.join());
  return { ...wish, packs: others.length === wish.packs.length ? [...others, hosts] : others };
}

/** Writes the wish as the zone file of the project, in JSON, which is YAML too. */
export function writeZone(folder, wish) {
  write(folder, "zones/a.yaml", {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: wish.fallback },
    custom_hostnames: {
      lifecycle: "zoneform",
      foreign: "report",
      entries: Object.entries(wish.hostnames).map(([hostname, { tier, tls }]) => ({
        hostname,
        custom_metadata: { tier },
        ssl: { type: "dv", method: "http", settings: { min_tls_version: tls } },
      })),
    },
    certificate_packs: wish.packs.map((hosts) => ({
      hosts,
      validation_method: "txt",
      validity_days: 90,
      certificate_authority: "google",
    })),
    entry_points: {
      [ENTRY_POINT]: {
        own: ["ours/"],
        adopt: true,
        rules: wish.rules.map(({ ref, host }) => ({
          ref,
          action: "execute",
          expression: `http.host eq "${host}.net"`,
          action_parameters: { id: MANAGED },
        })),
      },
    },
  });
}

function write(folder, name, content) {
  writeFileSync(join(folder, name), JSON.stringify(content));
}
