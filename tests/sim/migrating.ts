import { Refusal } from "../../lib/core/diagnostic.ts";
import { StateError } from "../../lib/state/error.ts";
import type { State } from "../../lib/state/state.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { type Lease, Locked } from "../../lib/state/lock.ts";
import { migrate, type Migration, migrationPlace } from "../../lib/state/upkeep/migrate.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { auditedState } from "./audit.ts";
import { stagesOf } from "./court.ts";
import { type Dice, diceOf, randomOf } from "./dice.ts";
import { type RunEnd, runEngine, type Stage } from "./engine-run.ts";
import type { SimProcess } from "./machine.ts";
import type { MigrationCommand, Scenario } from "./scenario.ts";
import { PROJECT, type Shelf } from "./shelf.ts";
import { clockOf } from "./sim-clock.ts";

/** Two places of states, between which a person moves them. */
export interface Places {
  /** The one that counts: it is another one after a move. */
  readonly shelf: Shelf;
  /** A person runs `state migrate`, and again if it is killed. Judges what counts meanwhile and afterwards (invariant 22). */
  move(stage: Stage, command: MigrationCommand): Promise<void>;
}

/** The first place counts until the states are moved. */
export function openPlaces(first: Shelf, second: Shelf): Places {
  let [here, there] = [first, second];

  const shelf: Shelf = {
    baseOf: (zone) => here.baseOf(zone),
    open: (opener) => here.open(opener),
    look: (changed) => here.look(changed),
    claims: () => here.claims?.(),
    freeByHand: () => {
      first.freeByHand?.();
      second.freeByHand?.();
    },
    durable: (zone, part) => here.durable(zone, part),
  };

  async function move(stage: Stage, { dice, ending }: MigrationCommand): Promise<void> {
    const before = await statesOf(stage, here);
    if (before.every((state) => state === undefined)) return;
    const { ledger, machine } = stage;
    for (let isMoved = false, attempt = 0; !isMoved; attempt += 1) {
      const process = machine.start(attempt === 0 ? ending : undefined, () => undefined);
      const how = await Promise.race([carryOut(stage, process, dice + attempt), process.gone]);
      process.die();
      machine.trace.note("migrate", how);
      if (how === "refused") return ledger.blame("I22", "states that nobody else has are not moved");
      isMoved = how === "moved";
      await judgeHalfway(stage, before);
    }
    [here, there] = [there, here];
    for (const each of stagesOf(stage)) each.ledger.saved = undefined;
    await judgeMoved(stage, before, dice);
  }

  async function carryOut(stage: Stage, process: SimProcess, number: number): Promise<"moved" | "refused"> {
    const random = randomOf(diceOf(number));
    const clock = clockOf(stage.machine.scheduler, process);
    const opened = (at: Shelf, seed: number): StateStores =>
      stage.vault.over(
        at.open({ process, clock, random, dice: diceOf(seed), isCalm: true, witness: () => undefined }),
        random,
      );
    const [from, to] = [opened(here, number + 1), opened(there, number + 2)].map((stores) =>
      migrationPlace(stores, PROJECT, { clock, random }),
    );
    if (!from || !to) throw new TypeError("there are two places");
    const holder = { who: "operator@machine", processId: process.identity.pid, operation: "migrate", since: "now" };
    const migration: Migration = { project: PROJECT, from, to };
    const moving = migrate(migration, async (zone, act) => {
      const lock = (store: ProjectStore): Promise<Lease> =>
        store.lock(zone, holder, 0).catch(async (thrown: unknown) => {
          // No run goes on meanwhile: a power cut left the mark of a lock that nobody can read.
          if (!(thrown instanceof Locked) || thrown.holding.unlockId === undefined) throw thrown;
          await store.unlock(zone, thrown.holding.unlockId);
          return store.lock(zone, holder, 0);
        });
      const leases = { from: await lock(from.store), to: await lock(to.store) };
      await act(leases);
      await leases.to.release();
      await leases.from.release();
    });
    try {
      while (!(await moving.next()).done);
      return "moved";
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      stage.machine.trace.note("refused", thrown.message);
      return "refused";
    }
  }

  /** However far it came, a zone counts at one place at most, and there it is what it was. */
  async function judgeHalfway(stage: Stage, before: readonly (State | undefined)[]): Promise<void> {
    for (const [index, { ledger, service, vault }] of stagesOf(stage).entries()) {
      const found = [await countedAt(here, vault, service.id), await countedAt(there, vault, service.id)];
      const states = found.filter((each) => each !== "refused");
      const counting = states.filter((each) => each !== undefined);
      if (counting.length > 1) ledger.blame("I22", "a state counts at both places");
      if (counting.some((state) => contentOf(state) !== contentOf(before[index])))
        ledger.blame("I22", "a state changed while it was moved");
      if (before[index] && counting.length === 0 && states.length > 0)
        ledger.blame("I22", "a place says that there is no state while it is moved");
    }
  }

  /** Now the new place counts, and the old one refuses every run. */
  async function judgeMoved(stage: Stage, before: readonly (State | undefined)[], dice: number): Promise<void> {
    const after = await statesOf(stage, here);
    for (const [index, { ledger, service, vault }] of stagesOf(stage).entries()) {
      if (contentOf(after[index]) !== contentOf(before[index]))
        ledger.blame("I22", "a state is another one after its move");
      if (before[index] && (await countedAt(there, vault, service.id)) !== "refused")
        ledger.blame("I22", "the old place still counts");
    }
    const { beside } = stage;
    const late = { ...stage, shelf: there, ...(beside ? { beside: { ...beside, shelf: there } } : {}) };
    const end: RunEnd = await runEngine(late, { dice, parallelism: 1, rates: {}, outside: [] });
    const isTold = end.thrown instanceof Refusal && end.thrown.diagnostics.every(({ code }) => code === "state-moved");
    if (!isTold) stage.ledger.blame("I22", "a run at the old place is not told of the new one");
  }

  return { shelf, move };
}

async function statesOf(stage: Stage, shelf: Shelf): Promise<readonly (State | undefined)[]> {
  const states: (State | undefined)[] = [];
  for (const { service, vault } of stagesOf(stage)) states.push(await auditedState(shelf, vault, service.id));
  return states;
}

async function countedAt(shelf: Shelf, vault: Stage["vault"], zone: string): Promise<State | "refused" | undefined> {
  try {
    return await auditedState(shelf, vault, zone);
  } catch (thrown) {
    const code = thrown instanceof StateError ? thrown.diagnostic.code : undefined;
    if (code === "state-moved" || code === "state-arriving") return "refused";
    throw thrown;
  }
}

function contentOf(state: State | undefined): string {
  return JSON.stringify(state && { ...state, objects: [...state.objects] });
}

/** Adds moves of the states to some scenarios, with dice of its own: all other seeds stay as they were. */
export function migrated(dice: Dice, scenario: Scenario): Scenario {
  const rate = dice.pick([0, 0, 0, 0.3]);
  const sessions = scenario.sessions.map((session) => {
    if (!dice.chance(rate)) return session;
    const ending = {
      at: 1 + dice.below(dice.pick([30, 120])),
      moment: dice.pick(["before", "half", "after"] as const),
    };
    return { ...session, migration: { dice: dice.next(), ...(dice.chance(0.6) ? { ending } : {}) } };
  });
  return { ...scenario, sessions };
}
