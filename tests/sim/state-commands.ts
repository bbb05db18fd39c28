import { zoneId } from "../../lib/core/brand.ts";
import type { Random } from "../../lib/core/clock.ts";
import { Refusal } from "../../lib/core/diagnostic.ts";
import { localAddress } from "../../lib/plan/targets.ts";
import { checkReplacement } from "../../lib/state/upkeep/restore.ts";
import { editState, moveInState, type State, type StateObject } from "../../lib/state/state.ts";
import { beginState, loadState, saveState } from "../../lib/state/load.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { isNamedLive } from "../../lib/engine/look-up.ts";
import { nextRepair } from "../../lib/state/upkeep/repair.ts";
import type { Lease } from "../../lib/state/lock.ts";
import { newestSerial, readTrail } from "../../lib/state/trail.ts";
import { auditedState } from "./audit.ts";
import { diceOf, randomOf } from "./dice.ts";
import type { Stage } from "./engine-run.ts";
import { kindOfObject } from "./kinds.ts";
import { trueHostnames } from "./kinds/custom-hostname.ts";
import type { SimKind } from "./kinds/kind.ts";
import type { Ledger } from "./ledger.ts";
import type { SimProcess } from "./machine.ts";
import type { StateCommand } from "./scenario.ts";
import { PROJECT } from "./shelf.ts";
import { clockOf } from "./sim-clock.ts";

/** What a person does with the state between runs. */
export interface StateCommands {
  /** Runs one, in a process that may end in the middle of it. */
  carryOut(command: StateCommand): Promise<void>;
}

/** The commands of a seed. The first state that was pulled is the one that is pushed later as an older state. */
export function openStateCommands(stage: Stage): StateCommands {
  const { machine, ledger, service, shelf } = stage;
  const zone = zoneId(service.id);
  let pulled: State | undefined;

  async function carryOut(command: StateCommand): Promise<void> {
    const process = machine.start(command.ending, () => undefined);
    const before = await packIds();
    const how = await Promise.race([perform(command, process), process.gone]);
    process.die();
    if (command.command === "mv") await judgeRename(command, before);
    machine.trace.note("command", `${command.command} ${how}`);
  }

  async function perform(command: StateCommand, process: SimProcess): Promise<"done" | "refused"> {
    const dice = diceOf(command.dice);
    const store = storeOf(stage, process, command.dice);
    try {
      const lease = await store.lock(zone, holderOf(process, command), 0);
      try {
        await under(lease, store, command);
      } finally {
        await lease.release();
      }
      return "done";
    } catch (thrown) {
      if (thrown instanceof Refusal) return "refused";
      throw thrown;
    }

    async function under(held: Lease, on: ProjectStore, { command: name }: StateCommand): Promise<void> {
      switch (name) {
        case "rm":
          return remove(on, held, randomOf(dice), (objects) => objects[dice.below(objects.length)]);
        case "mv":
          return rename(on, held, randomOf(dice), command);
        case "pull":
          pulled = (await loadState(on, zone))?.state;
          return;
        case "push":
          return push(on, held, false);
        case "push-older":
          return push(on, held, true);
        case "repair":
          if (await nextRepair(on, zone)) ledger.blame("I4", "a state that nothing damaged is to be repaired");
          return;
        default:
          return name satisfies never;
      }
    }
  }

  /** Only hostnames whose create was answered: nobody would know the ids of others. */
  async function remove(
    store: ProjectStore,
    lease: Lease,
    random: Random,
    choose: (objects: readonly StateObject[]) => StateObject | undefined,
  ): Promise<void> {
    const saved = await beginState(store, lease, { id: zone, name: service.name }, random);
    const known = [...saved.state.objects].filter(([, each]) => !each.pending && kindOf(each).isReleasedByHand);
    const object = choose(known.map(([, each]) => each));
    const address = known.find(([, each]) => each === object)?.[0];
    if (!object || address === undefined) return;
    letGo(ledger, object.id);
    const editor = editState(saved.state);
    editor.delete(address);
    await saveState(store, lease, saved.version, editor.toState());
  }

  /** The ids of the tracked packs, each with the keys that it is tracked under. */
  async function packIds(): Promise<ReadonlyMap<string, readonly string[]>> {
    const state = await auditedState(shelf, stage.vault, zone);
    const found = new Map<string, readonly string[]>();
    for (const object of state?.objects.values() ?? []) {
      const { id, key } = object;
      if (kindOf(object).sharesKeys && id !== "") found.set(id, [...(found.get(id) ?? []), key]);
    }
    return found;
  }

  /** Moves a pack whose hosts are about to change to its new address, so that the plan replaces it. */
  async function rename(store: ProjectStore, lease: Lease, random: Random, { keys }: StateCommand): Promise<void> {
    const [from, to] = (keys ?? []).map((key) => localAddress("certificate_pack", key));
    if (from === undefined || to === undefined) return;
    const saved = await beginState(store, lease, { id: zone, name: service.name }, random);
    const object = saved.state.objects.get(from);
    const next = moveInState(saved.state, from, to, isNamedLive);
    if (object && keys) ledger.renamed.set(object.id, new Set([...(ledger.renamed.get(object.id) ?? []), keys[1]]));
    await saveState(store, lease, saved.version, next);
  }

  /** However far the command came, each pack is tracked once, under its old address or its new one (invariant 20). */
  async function judgeRename(
    { keys = ["", ""] }: StateCommand,
    before: Awaited<ReturnType<typeof packIds>>,
  ): Promise<void> {
    const after = await packIds();
    for (const [id, [was = ""]] of before) {
      const now = after.get(id) ?? [];
      const isRight = now.length === 1 && now.every((key) => key === was || (was === keys[0] && key === keys[1]));
      if (!isRight)
        ledger.blame(
          "I20",
          `state mv ${keys.join(" ")} leaves the pack ${id} of ${was} at ${now.join(" and ") || "no address"}`,
        );
    }
  }

  /** Stores a state that somebody pulled: as the next one, or as the older one that it is. */
  async function push(store: ProjectStore, lease: Lease, isOlder: boolean): Promise<void> {
    const stored = await loadState(store, zone, { acceptsOlder: true });
    if (!stored) return;
    const given = isOlder ? pulled : { ...stored.state, serial: stored.state.serial + 1 };
    if (!given || [...given.objects.values(), ...stored.state.objects.values()].some((each) => kindOf(each).sharesKeys))
      return;
    const newest = newestSerial(await readTrail(await store.view(zone)), given.lineage);
    const next = checkReplacement(stored.state, given, { isOlder, newest });
    if (isOlder) forgetSince(given);
    const kept = stored.hasJournal ? await saveState(store, lease, stored.version, stored.state) : stored;
    const putBack = isOlder ? { by: "state push --older", serial: given.serial } : undefined;
    const above = isOlder ? Math.max(next.serial, kept.state.serial) : kept.state.serial;
    await saveState(store, lease, kept.version, { ...next, serial: above }, putBack && { putBack });
  }

  /** A restored older state knows nothing about what came since. */
  function forgetSince(given: State): void {
    ledger.touched.set("state-older", machine.scheduler.now());
    const known = new Map([...given.objects.values()].map((object) => [object.id, object]));
    for (const { id } of trueHostnames(service)) {
      if (!known.has(id)) letGo(ledger, id);
      else if (known.get(id)?.protect !== true) ledger.shielded.delete(id);
    }
  }

  return { carryOut };
}

function letGo({ released, shielded }: Ledger, id: string): void {
  released.add(id);
  shielded.delete(id);
}

function kindOf({ kind }: StateObject): SimKind {
  return kindOfObject(kind).kind;
}

function storeOf({ machine, shelf, vault }: Stage, process: SimProcess, number: number): ProjectStore {
  const random = randomOf(diceOf(number));
  const clock = clockOf(machine.scheduler, process);
  const opened = shelf.open({
    process,
    clock,
    random,
    dice: diceOf(number + 1),
    isCalm: true,
    witness: () => undefined,
  });
  return vault.over(opened, random).of(PROJECT);
}

function holderOf({ identity }: SimProcess, { command }: StateCommand): Parameters<ProjectStore["lock"]>[1] {
  return { who: "operator@machine", processId: identity.pid, operation: `state ${command}`, since: "now" };
}
