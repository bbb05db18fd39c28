// Compares the state and the next plan of a project with what is live.
import { openWorld } from "../../dist/cmd/world.js";
import { isWorthApplying } from "../../dist/cmd/applying.js";
import { makePlan } from "../../dist/lib/engine/plan.js";
import { enterProject } from "../../dist/lib/engine/world.js";
import { loadState } from "../../dist/lib/state/load.js";
import { THEIR_HOSTNAME, THEIR_RULE, ZONE } from "./service.mjs";

/** The name in the project file of `zone-file.mjs`. */
const PROJECT = "crash";

/**
 * Opens a judge of one project and one service. Its verdicts are lists of violations `{what, detail}`, where `what` is `lost`,
 * `duplicates`, `unreadable`, `manual steps` or `not as declared`.
 */
export function openJudge(folder, service) {
  const redaction = { learn: () => undefined };
  const signal = new AbortController().signal;
  // `close` closes the world; no command ends here.
  const context = { cwd: folder, env: service.env, signal, redaction, atEnd: () => undefined };
  const flags = { config: "zoneform.yaml" };
  const world = openWorld(context, flags, { report: () => undefined });

  /** The state with its journal applied, or why it cannot be read. */
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
   * Checks what holds at any moment, even after a kill: the state is readable, and it knows everything live that we created,
   * except the forgotten hostnames.
   */
  async function afterKill(forgotten = []) {
    const { state, isInMiddle, violation } = await readState();
    if (violation) return { violations: [violation], isInMiddle: false };
    const live = service.live();
    const hostnames = live.hostnames.filter(({ hostname }) => !forgotten.includes(hostname));
    const lost = [...lostHostnames({ hostnames }, state, false), ...lostPacks(live, state)];
    return { violations: [...lost, ...duplicates(live)], isInMiddle };
  }

  /** Checks what holds after a run that succeeded. */
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

/** Our live hostnames that the state does not know, or with `isById` knows by another id. */
function lostHostnames({ hostnames }, state, isById) {
  return hostnames
    .filter(({ hostname }) => hostname !== THEIR_HOSTNAME)
    .filter(({ hostname, id }) => {
      const known = state?.objects.get(`custom_hostname[${JSON.stringify(hostname)}]`);
      return known === undefined || (isById && known.id !== id);
    })
    .map(({ hostname }) => ({ what: "lost", detail: `${hostname} is live, and the state does not know it` }));
}

/** The live packs that the state does not know: neither by their id nor by an unfinished create. */
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

/** Objects that are live more than once. The service itself prevents this for hostnames, and for nothing else. */
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

/** How our live objects differ from the declared ones, and foreign objects from what they were. */
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
