// Compares what the built code says about a project (its state, its next plan) with what is live.
import { openWorld } from "../../dist/cmd/world.js";
import { isWorthApplying } from "../../dist/cmd/applying.js";
import { makePlan } from "../../dist/lib/engine/plan.js";
import { enterProject } from "../../dist/lib/engine/world.js";
import { loadState } from "../../dist/lib/state/load.js";
import { THEIR_HOSTNAME, THEIR_RULE, ZONE } from "./service.mjs";

/** The name in the project file of `zone-file.mjs`. */
const PROJECT = "crash";

/**
 * A judge of one project and one service. Each verdict is a list of violations, `{what, detail}`, with `what` one of
 * `lost`, `duplicates`, `unreadable`, `manual steps`, `not as declared`.
 */
export function openJudge(folder, service) {
  const redaction = { learn: () => undefined };
  const context = { cwd: folder, env: service.env, signal: new AbortController().signal, redaction };
  const flags = { config: "zoneform.yaml" };
  const world = openWorld(context, flags, { report: () => undefined });

  /** The state with its journal applied; or why it cannot be read. */
  async function readState() {
    try {
      const { store } = await enterProject(world, { heading: { project: PROJECT, state: {} } });
      const loaded = await loadState(store, ZONE.id);
      return { state: loaded?.state, isInMiddle: loaded?.hasJournal ?? false };
    } catch (error) {
      return { violation: { what: "unreadable", detail: String(error) } };
    }
  }

  /**
   * At any moment, even after a kill: the state is readable, and knows everything live that we made, except hostnames
   * that somebody made it forget.
   */
  async function afterKill(forgotten = []) {
    const { state, isInMiddle, violation } = await readState();
    if (violation) return { violations: [violation], isInMiddle: false };
    const live = service.live();
    const hostnames = live.hostnames.filter(({ hostname }) => !forgotten.includes(hostname));
    const lost = [...lostHostnames({ hostnames }, state, false), ...lostPacks(live, state)];
    return { violations: [...lost, ...duplicates(live)], isInMiddle };
  }

  /** After a run that ended well. */
  async function afterRecovery(wish) {
    const { state, violation } = await readState();
    if (violation) return [violation];
    const live = service.live();
    return [
      ...lostHostnames(live, state, true),
      ...lostPacks(live, state),
      ...duplicates(live),
      ...differences(live, wish),
      ...(await unplanned()),
    ];
  }

  async function unplanned() {
    const { plan } = await makePlan(world, { file: `${folder}/zoneform.yaml` });
    if (!isWorthApplying(plan)) return [];
    const left = plan.zones.flatMap(({ changes }) => changes.map(({ action, address }) => `${action} ${address}`));
    return [{ what: "not as declared", detail: `the second plan is not empty: ${left.join(", ") || "bookkeeping"}` }];
  }

  return { afterKill, afterRecovery, close: () => world.close() };
}

/** Hostnames that are live and ours, but that the state does not know; with `isById`, by their id. */
function lostHostnames({ hostnames }, state, isById) {
  return hostnames
    .filter(({ hostname }) => hostname !== THEIR_HOSTNAME)
    .filter(({ hostname, id }) => {
      const known = state?.objects.get(`custom_hostname[${JSON.stringify(hostname)}]`);
      return known === undefined || (isById && known.id !== id);
    })
    .map(({ hostname }) => ({ what: "lost", detail: `${hostname} is live, and the state does not know it` }));
}

/** A pack is known by its id, or its create is unfinished. */
function lostPacks({ packs }, state) {
  const known = [...(state?.objects.values() ?? [])].filter(({ kind }) => kind === "certificate_pack");
  return packs
    .filter(({ id, hosts }) => !known.some((each) => each.id === id || (each.pending && each.key === keyOf(hosts))))
    .map(({ hosts }) => ({
      what: "lost",
      detail: `the pack for ${hosts.join(" ")} is live, and the state does not know it`,
    }));
}

function keyOf(hosts) {
  return [...hosts].toSorted((left, right) => (left < right ? -1 : 1)).join(",");
}

/** The service itself refuses a second hostname with the same name, but nothing else. */
function duplicates({ hostnames, packs, rules }) {
  const names = [
    ...hostnames.map(({ hostname }) => hostname),
    ...packs.map(({ hosts }) => keyOf(hosts)),
    ...rules.map(({ ref }) => ref),
  ];
  return names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => ({ what: "duplicates", detail: `${name} is live more than once` }));
}

/** Our live objects are exactly the declared ones; foreign objects are as they were. */
function differences(live, wish) {
  const wanted = {
    hostnames: Object.entries(wish.hostnames)
      .map(([name, { tier, tls }]) => `${name} ${tier} ${tls}`)
      .sort(),
    packs: wish.packs.map(keyOf).sort(),
    rules: wish.rules.map(({ ref, host }) => `${ref} http.host eq "${host}.net"`),
    theirs: [THEIR_HOSTNAME, `${THEIR_RULE.ref} ${THEIR_RULE.expression}`],
    fallback: wish.fallback,
  };
  const isTheirs = ({ ref }) => ref === THEIR_RULE.ref;
  const worded = ({ ref, expression }) => `${ref} ${expression}`;
  const found = {
    hostnames: live.hostnames
      .filter(({ hostname }) => hostname !== THEIR_HOSTNAME)
      .map(({ hostname, custom_metadata: { tier }, ssl }) => `${hostname} ${tier} ${ssl.settings.min_tls_version}`)
      .sort(),
    packs: live.packs.map(({ hosts }) => keyOf(hosts)).sort(),
    rules: live.rules.filter((rule) => !isTheirs(rule)).map(worded),
    theirs: [
      ...live.hostnames.map(({ hostname }) => hostname).filter((hostname) => hostname === THEIR_HOSTNAME),
      ...live.rules.filter(isTheirs).map(worded),
    ],
    fallback: live.fallback,
  };
  return Object.keys(wanted)
    .filter((part) => JSON.stringify(wanted[part]) !== JSON.stringify(found[part]))
    .map((part) => ({
      what: "not as declared",
      detail: `${part}: ${JSON.stringify(wanted[part])} is declared, ${JSON.stringify(found[part])} is live`,
    }));
}
