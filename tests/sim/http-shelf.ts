import { type ZoneId, zoneId } from "../../lib/core/brand.ts";
import { isList, isObject, type JsonObject } from "../../lib/core/json.ts";
import { collected } from "../../lib/core/lists.ts";
import { type Changes, STATE } from "../../lib/state/engine.ts";
import { StateError } from "../../lib/state/error.ts";
import { nameOfState } from "../../lib/state/engines/http/session.ts";
import { httpStores, INDEX_NAME } from "../../lib/state/engines/http/engine.ts";
import type { StateAnswer, StateRequest, Transport } from "../../lib/state/engines/http/protocol.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { Locked } from "../../lib/state/lock.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { modelTransport, type ServerMode, stateModel } from "../support/http-state-model.ts";
import { diceOf, randomOf } from "./dice.ts";
import type { Machine, SimProcess } from "./machine.ts";
import { type Opener, PROJECT, type Shelf } from "./shelf.ts";
import { steadyOf } from "./sim-clock.ts";

const GITLAB = "https://states.example/api/v4/projects/1/terraform/state";
const OTHERS = "https://states.example/states";

/** A call costs a round trip. */
const SLOWEST_CALL_MILLISECONDS = 10;

const MODES = ["terraform", "gitlab", "careless", "silent"] as const satisfies readonly ServerMode[];

/** What happens to a request: it or its answer is lost, or the server is busy, or it goes away for a while. */
const FAULTS = ["cut-before", "cut-after", "busy", "away"] as const;

/** States on a server that speaks the protocol of Terraform's backend: the real store, on a network of the simulation. */
export function httpShelf(machine: Machine, seed: number): Shelf {
  const { scheduler, trace } = machine;
  const drawn = diceOf(seed * 64 + 57);
  const mode = drawn.pick(MODES);
  const faultRate = drawn.pick([0, 0.01, 0.04]);
  const model = stateModel(mode, () => scheduler.now());
  trace.note("http", mode);
  const address = mode === "gitlab" ? GITLAB : OTHERS;
  const env = mode === "gitlab" ? {} : { TF_HTTP_LOCK_ADDRESS: `${OTHERS}/{state}` };
  /** Who took a lock, by its id. */
  const holders = new Map<string, SimProcess>();
  /** The locks whose holder asked to free them while the server did not hear it. */
  const unheard = new Set<string>();
  let awayUntil = -Infinity;

  function serve(request: StateRequest, fault: (typeof FAULTS)[number] | undefined): StateAnswer {
    if (fault === "away") awayUntil = scheduler.now() + 90_000;
    if (scheduler.now() < awayUntil || fault === "cut-before") throw new Error("the connection was cut");
    if (fault === "busy") return { status: 503, headers: {}, body: "" };
    const answer = model.handle(request);
    if (fault === "cut-after") throw new Error("the connection was cut");
    return answer;
  }

  function transportOf({ process, dice, isCalm }: Opener): Transport {
    return {
      send: async (request) => {
        const { method, url, body = "" } = request;
        const fault = !isCalm && dice.chance(faultRate) ? dice.pick(FAULTS) : undefined;
        const id = idIn(body);
        if (id !== undefined && /^(LOCK|POST)$/.test(method) && !url.includes("?ID=")) holders.set(id, process);
        trace.note(`http ${method}`, fault ?? "");
        const delay = dice.fraction() * SLOWEST_CALL_MILLISECONDS;
        // A process is stopped and killed where it changes something, as on the disk: what it has just read is still
        // true when it acts on it. What may come between a look at the lock and a request, nobody can prevent.
        const isLook = method === "GET" || body.includes('"ID":"zoneform-look-');
        if (mode === "silent") freeDead(INDEX_NAME);
        const isUnlock = /^(UNLOCK|DELETE)$/.test(method);
        const wrapped = (): { readonly answer: StateAnswer } => {
          if (isCalm) return { answer: model.handle(request) };
          if (isUnlock && id !== undefined && holders.get(id) === process) unheard.add(id);
          return { answer: serve(request, fault) };
        };
        const found = isLook ? scheduler.after(process, delay, wrapped) : process.touch(delay, wrapped);
        return (await found).answer;
      },
      close: async () => undefined,
    };
  }

  function open(opener: Opener): StateStores {
    const { clock, random, process, witness, released = () => undefined } = opener;
    const heard = (lines: readonly string[]): readonly string[] => {
      witness("the server", lines.join("\n"));
      return lines;
    };
    async function* hearing(lines: AsyncIterable<string>): AsyncIterable<string> {
      yield* heard(await collected(lines));
    }
    const hearingEach = (put: Changes["put"] = new Map()): NonNullable<Changes["put"]> =>
      new Map([...put].map(([name, lines]) => [name, hearing(lines)]));
    const storesOn = (transport: Transport): StateStores =>
      httpStores(address, { env, clock, steady: steadyOf(machine, process), random, connect: () => transport });
    const person = storesOn(transportOf({ ...opener, isCalm: true })).of(PROJECT);
    return storesOn(transportOf(opener)).over((engine) => ({
      ...engine,
      commit: (key, lease, { journal, ...changes }) =>
        engine.commit(key, lease, {
          ...changes,
          put: hearingEach(changes.put),
          ...(journal ? { journal: hearing(journal) } : {}),
        }),
      append: (key, lease, lines) => engine.append(key, lease, heard(lines)),
      // A lock of a process that is gone stays, and the next run says how to free it: somebody does.
      lock: async (key, holder, waitMilliseconds, signal) => {
        const { zone } = key;
        for (;;) {
          try {
            const { lease, view } = await engine.lock(key, holder, waitMilliseconds, signal);
            released(zone);
            const release = async (): Promise<void> => {
              await lease.release();
              released(zone);
            };
            return { lease: { ...lease, release }, view };
          } catch (thrown) {
            if (!(thrown instanceof Locked) || process.isDead()) throw thrown;
            const id = model.holderOf(nameOfState(PROJECT, zone));
            if (id !== undefined && !isLeft(id)) throw thrown;
            trace.note("http", "a person frees the lock");
            await free(person, zone, thrown.holding.holder?.id);
          }
        }
      },
    }));
  }

  /** A lock of a process that is gone, where the server does not say whose it is: a person frees it on its page. */
  function freeDead(name: string): void {
    const id = model.holderOf(name);
    if (id !== undefined && isLeft(id)) model.free(name);
  }

  /** Whether nobody but a person can free a lock: its holder was killed, or the server was away when it gave it back. */
  function isLeft(id: string): boolean {
    const holder = holders.get(id);
    return holder?.isDead() === true && (holder.wasKilled() || unheard.has(id));
  }

  /** A person frees a lock as the message says; where the server does not say whose it is, on a page of the server. */
  async function free(person: ProjectStore, zone: ZoneId, id: string | undefined): Promise<void> {
    if (id === undefined) return freeDead(nameOfState(PROJECT, zone));
    try {
      await person.unlock(zone, id);
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
      // Somebody else freed it; or the server names nobody, and the state names another one.
      freeDead(nameOfState(PROJECT, zone));
    }
  }

  return {
    baseOf: (zone) => `nowhere/${zone}`,
    open,
    freeByHand: () => {
      if (mode === "silent") model.free(INDEX_NAME);
    },
    look: () => {
      const clock = { now: () => scheduler.now(), sleep: never };
      const connect = (): Transport => modelTransport(model);
      return httpStores(address, {
        env,
        clock,
        steady: { ...clock, rest: never },
        random: randomOf(diceOf(0)),
        connect,
      });
    },
    durable: (zone, part) => {
      const stored = zoneformIn(model.bodyOf(nameOfState(PROJECT, zoneId(zone))));
      const entries = stored?.["entries"];
      const state = isList(entries) ? entries.filter(isObject).find(({ name }) => name === STATE) : undefined;
      const lines = part === "journal" ? stored?.["journal"] : (state?.["content"] ?? state?.["start"]);
      return Array.isArray(lines) && lines.length > 0 ? `${lines.join("\n")}\n` : undefined;
    },
  };
}

function zoneformIn(body: string | undefined): JsonObject | undefined {
  const value: unknown = JSON.parse(body ?? "{}");
  const inner = isObject(value) ? value["zoneform"] : undefined;
  return isObject(inner) ? inner : undefined;
}

function idIn(body: string): string | undefined {
  return /^\{"ID":"([^"]+)"/.exec(body)?.[1];
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
