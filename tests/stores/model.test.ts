import pg from "pg";
import { describe, expect, test } from "vitest";
import { validated, zoneId } from "../../lib/core/brand.ts";
import type { Clock } from "../../lib/core/clock.ts";
import { canonical, type Json } from "../../lib/core/json.ts";
import { realClock } from "../../lib/real/clock.ts";
import { type Lease, Locked } from "../../lib/state/lock.ts";
import { type StateStores, zoneStores } from "../../lib/state/stores.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { STORES_FULL } from "../support/full.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { collect, given, HOLDER, random } from "../support/state-world.ts";
import { type CallFault, type Client, servedMemory, type ServedProcess } from "../support/served-memory.ts";
import { describeStore } from "./suite.ts";

const HISTORIES = STORES_FULL ? 2000 : 12;
/** How many histories are played at once: each waits for its server most of the time. */
const LANES = STORES_FULL ? 4 : 2;
const STEPS = 25;
const ZONES = [zoneId("023e105f4ecef8ad9ca31a8372d0c353"), zoneId("9a7806061c88ada191ed06f989cc3dac")] as const;
const PROJECTS = ["shop", "blog"] as const;
const PROCESSES = 3;

const WORLD = { clock: realClock, random };

/** The stores of a process of the model. */
function storesOf({ engine }: Pick<ServedProcess, "engine">): StateStores {
  return zoneStores(engine, WORLD);
}

describeStore("the model of the store in PostgreSQL", async () => {
  const model = servedMemory(realClock);
  const open = (clock: Clock = realClock): ProjectStore =>
    zoneStores(model.start({ clock, random }).engine, { clock, random }).of("shop");
  return { store: open(), other: open(), open };
});

test("a fault of the model is what the caller would see", async () => {
  let next: CallFault | undefined;
  const model = servedMemory(realClock);
  const client: Client = { ...WORLD, fault: () => next };
  const [store, other] = [storesOf(model.start(client)).of("shop"), storesOf(model.start(client)).of("shop")];
  const [zone] = ZONES;
  const lease = await store.lock(zone, HOLDER, 0);
  const journal = async (): Promise<string[]> => collect((await other.view(zone)).journal());
  for (const [fault, lines, isThrown] of [
    ["dropped", ["a"], false],
    ["lost-reply", ["a", "b"], false],
    ["gone", ["a", "b"], true],
    ["gone-after", ["a", "b", "d"], true],
  ] as const) {
    next = fault;
    const line = { dropped: "a", "lost-reply": "b", gone: "c", "gone-after": "d" }[fault];
    const outcome = await store.append(zone, lease, [line]).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    next = undefined;
    if (isThrown) expect(outcome).toMatchObject({ diagnostic: { code: "state-unreachable" } });
    else expect(outcome).toBeUndefined();
    expect(await journal()).toEqual(lines);
  }
  // The server freed the lock of the run that is gone, and another one took it.
  const theirs = await other.lock(zone, HOLDER, 0);
  await expect(store.append(zone, lease, ["late"])).rejects.toMatchObject({ name: "StoreConflict" });
  await other.append(zone, theirs, ["theirs"]);
  expect(await journal()).toEqual(["a", "b", "d", "theirs"]);
});

test("the model keeps the lock of a dead process until the server notices its death", async () => {
  const model = servedMemory(realClock);
  const [dying, next] = [model.start(WORLD), storesOf(model.start(WORLD)).of("shop")];
  const [zone] = ZONES;
  await storesOf(dying).of("shop").lock(zone, HOLDER, 0);
  dying.die("later");
  await expect(next.lock(zone, HOLDER, 0)).rejects.toThrow(Locked);
  dying.notice();
  expect(await next.holding(zone)).toMatchObject({ isAlive: false });
  await expect(next.lock(zone, HOLDER, 0)).resolves.toMatchObject({ fence: 2 });
});

/** One side of the comparison: the processes of a history, and what happens to them from outside. */
interface Side {
  readonly processes: StateStores[];
  readonly leases: Map<string, Lease>;
  /** Ids differ from side to side; their order does not. */
  readonly ids: string[];
  /** The newest of each zone. The number does not matter, only that it rises. */
  readonly fences: Map<string, number>;
  /** The leases whose last change failed: the next one looks first, on a connection that has no lock. */
  readonly failed: Set<Lease>;
  readonly projects: (name: string) => string;
  kill(process: number): Promise<void>;
  disconnect(process: number): Promise<void>;
  /** Before the next call of the process: its reply is lost, or it does not arrive. */
  lose(process: number, fault: "dropped" | "lost-reply"): void;
  /** Takes the fault back if the call never reached the network. */
  loseNothing(process: number): void;
}

function modelSide(): Side {
  let next: CallFault | undefined;
  const model = servedMemory(realClock);
  const fault = (): CallFault | undefined => {
    const happens = next;
    next = undefined;
    return happens;
  };
  const start = (): ServedProcess => model.start({ ...WORLD, fault });
  const started = Array.from({ length: PROCESSES }, start);
  const processes = started.map(storesOf);
  return {
    processes,
    leases: new Map(),
    ids: [],
    fences: new Map(),
    failed: new Set(),
    projects: (name) => name,
    kill: async (process) => {
      started[process]?.die();
      started[process] = start();
      processes[process] = storesOf(started[process]);
    },
    disconnect: async (process) => started[process]?.disconnect(),
    lose: (_process, fault) => {
      next = fault;
    },
    loseNothing: () => {
      next = undefined;
    },
  };
}

async function realSide(address: string, proxies: readonly CuttingProxy[], admin: pg.Client): Promise<Side> {
  const unique = random.uuid();
  const open = (process: number): StateStores =>
    openStores(address.replace(/:\d+\//, `:${proxies[process]?.port}/`), {
      env: { PGAPPNAME: `${unique} ${process}` },
    });
  const processes = proxies.map((_, process) => open(process));
  const leases = new Map<string, Lease>();
  const leasesOf = (process: number): readonly string[] =>
    [...leases].flatMap(([name, { id }]) => (name.startsWith(`${process} `) ? [id] : []));
  /** The session on which a process holds its locks, if any: it came and went with the connection. */
  const sessionsOf = async (process: number): Promise<readonly number[]> => {
    const ids = leasesOf(process);
    if (ids.length === 0) return [];
    const { rows } = await admin.query<{ backend: number }>(
      "SELECT backend FROM zoneform.zones WHERE is_held AND holder ->> 'id' = ANY ($1)",
      [ids],
    );
    return rows.map(({ backend }) => backend);
  };
  /** Waits until the server has ended these sessions: it does so a moment later. */
  const ended = async (sessions: readonly number[]): Promise<void> => {
    for (;;) {
      const found = await admin.query("SELECT 1 FROM pg_stat_activity WHERE pid = ANY ($1)", [sessions]);
      if (found.rows.length === 0) return;
      await realClock.sleep(2);
    }
  };
  return {
    processes,
    leases,
    ids: [],
    fences: new Map(),
    failed: new Set(),
    projects: (name) => `${name}-${unique}`,
    kill: async (process) => {
      const sessions = await sessionsOf(process);
      await processes[process]?.close();
      await ended(sessions);
      processes[process] = open(process);
    },
    disconnect: async (process) => {
      const sessions = await sessionsOf(process);
      await admin.query("SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid", [sessions]);
      await ended(sessions);
    },
    lose: (process, fault) => proxies[process]?.cutAt(1, fault === "dropped" ? "before" : "after"),
    loseNothing: (process) => proxies[process]?.cutAt(Number.POSITIVE_INFINITY, "before"),
  };
}

/** A step of a history: an operation of a process on a zone, or something that happens to the process. */
interface Step {
  readonly process: number;
  readonly project: (typeof PROJECTS)[number];
  readonly zone: (typeof ZONES)[number];
  readonly operation: Operation;
  readonly line: string;
  readonly serial: number;
  readonly isOdd: boolean;
  readonly fault: "dropped" | "lost-reply" | undefined;
}

interface Call extends Step {
  readonly side: Side;
  readonly store: ProjectStore;
  /** The lease that the process took last for the zone. */
  readonly lease: Lease | undefined;
}

async function withLease(call: Call, act: (lease: Lease) => Promise<unknown>): Promise<unknown> {
  return call.lease ? act(call.lease) : "no lease";
}

async function linesFrom(lines: AsyncIterable<string> | undefined): Promise<unknown> {
  return lines ? collect(lines) : "nothing";
}

const OPERATIONS = {
  lock: async ({ side, store, zone, process, project }: Call) => {
    const lease = await store.lock(zone, HOLDER, 0);
    side.leases.set(`${process} ${project} ${zone}`, lease);
    side.ids.push(lease.id);
    const before = side.fences.get(`${project} ${zone}`) ?? 0;
    side.fences.set(`${project} ${zone}`, lease.fence);
    return { id: lease.id, isNewer: lease.fence > before };
  },
  release: (call: Call) => withLease(call, (lease) => lease.release()),
  check: (call: Call) => withLease(call, (lease) => call.store.checkLease(call.zone, lease)),
  append: (call: Call) =>
    withLease(call, (lease) => call.store.append(call.zone, lease, call.isOdd ? [call.line] : [call.line, "", "ä€😀"])),
  write: (call: Call) =>
    withLease(call, async (lease) => {
      const expected = call.serial % 7 === 0 ? "0".repeat(64) : (await call.store.view(call.zone)).state?.version;
      const lines = [JSON.stringify({ serial: call.serial }), call.line];
      await call.store.write(call.zone, lease, expected, given(lines));
    }),
  keep: (call: Call) =>
    withLease(call, (lease) => call.store.keep(call.zone, lease, call.isOdd ? "run-1" : "run-2", given([call.line]))),
  discard: (call: Call) => withLease(call, (lease) => call.store.discard(call.zone, lease, "run-1")),
  rewrite: (call: Call) =>
    withLease(call, (lease) => call.store.rewriteJournal(call.zone, lease, given(call.isOdd ? [] : [call.line]))),
  backup: (call: Call) =>
    withLease(call, (lease) => call.store.addBackup(call.zone, lease, call.serial, given([call.line]))),
  retire: (call: Call) => withLease(call, async (lease) => (await call.store.retire(call.zone, lease)).length),
  unlock: async ({ store, zone, side, isOdd }: Call) =>
    store.unlock(zone, (isOdd ? side.ids.at(-1) : side.ids[0]) ?? "x"),
  observe: ({ store, zone, line }: Call) => store.observe(zone, [line]),
  condense: ({ store, zone }: Call) =>
    store.condense(zone, async function* (lines) {
      for (const line of [...new Set(await collect(lines))].sort()) if (!line.endsWith("0")) yield line;
    }),
  read: async ({ store, zone }: Call) => {
    const stored = (await store.view(zone)).state;
    return linesFrom(stored?.lines);
  },
  look: async ({ store, zone }: Call) => ({
    journal: await collect((await store.view(zone)).journal()),
    names: (await store.view(zone)).names,
    kept: await linesFrom((await store.view(zone)).kept("run-2")),
    observations: [...new Set(await collect(store.observations(zone)))].sort(),
    holding: await store.holding(zone),
    taken: (await store.view(zone)).taken,
    backups: (await store.view(zone)).backups,
    oldest: await linesFrom((await store.view(zone)).backup((await store.view(zone)).backups.at(-1) ?? 0)).catch(
      () => "none",
    ),
    zones: await store.zones(),
    files: (await store.files(zone)).map(({ role }) => role).sort(),
  }),
  kill: async ({ side, process }: Call) => {
    await side.kill(process);
    for (const name of side.leases.keys()) if (name.startsWith(`${process} `)) side.leases.delete(name);
  },
  disconnect: ({ side, process }: Call) => side.disconnect(process),
} as const;

/**
 * What goes to the session of the locks with its first message. Other operations may first look at the zone, and then the
 * cut would hit the connection of a reader, which has no locks. `postgres-faults.test.ts` cuts those at each message.
 */
const CUTTABLE: ReadonlySet<string> = new Set(["append", "check"]);

describe.skipIf(NO_POSTGRES)(`the model and the real server${NO_POSTGRES ?? ""}`, () => {
  test(`give the same answers to ${HISTORIES} random histories`, async () => {
    const address = await serverAddress();
    let [begun, called] = [0, 0];
    const lanes = Array.from({ length: LANES }, async () => {
      const port = Number(new URL(address).port);
      const proxies = await Promise.all(Array.from({ length: PROCESSES }, () => startCuttingProxy(port)));
      const admin = new pg.Client({ connectionString: address });
      await admin.connect();
      while (begun < HISTORIES) {
        begun += 1;
        const seed = begun;
        const sides = [modelSide(), await realSide(address, proxies, admin)] as const;
        const steps = historyOf(seed);
        for (const [index, step] of steps.entries()) {
          const [model, real] = [await answerOf(step, sides[0]), await answerOf(step, sides[1])];
          expect(real, `seed ${seed}, step ${index}: ${JSON.stringify(steps.slice(0, index + 1))}`).toEqual(model);
          called += 1;
        }
        await Promise.all(sides[1].processes.map((each) => each.close()));
      }
      await admin.end();
    });
    await Promise.all(lanes);
    expect(called).toBe(HISTORIES * STEPS);
  });
});

/** What the caller sees, with ids by the order in which they were given out. */
async function answerOf(step: Step, side: Side): Promise<string> {
  const stores = side.processes[step.process];
  const store = stores?.of(side.projects(step.project));
  if (!store) throw new TypeError("a step is of one of the processes");
  const lease = side.leases.get(`${step.process} ${step.project} ${step.zone}`);
  if (step.fault && lease && !side.failed.has(lease) && CUTTABLE.has(step.operation))
    side.lose(step.process, step.fault);
  const operation = OPERATIONS[step.operation];
  const answer = await Promise.resolve(operation({ ...step, side, store, lease })).catch((thrown: unknown) => {
    if (lease) side.failed.add(lease);
    return failureIn(thrown);
  });
  side.loseNothing(step.process);
  const text = answer === undefined ? "nothing" : canonical(asJson(answer));
  return side.ids.reduce((rest, id, index) => rest.replaceAll(id, `lease ${index}`), text);
}

/** Without what is undefined, and with the keys in one order. */
function asJson(answer: unknown): Json {
  return validated<{ answer: Json }>({ answer: JSON.parse(JSON.stringify(answer)) }).answer;
}

function failureIn(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const holder = thrown instanceof Locked ? thrown.holding.holder : undefined;
  const diagnostic = "diagnostic" in thrown ? thrown.diagnostic : undefined;
  const code =
    typeof diagnostic === "object" && diagnostic !== null && "code" in diagnostic ? diagnostic.code : undefined;
  return { name: thrown.name, code, holder };
}

function historyOf(seed: number): readonly Step[] {
  let state = seed;
  const below = (limit: number): number => {
    // A linear congruential generator (Numerical Recipes): a seed is a history on every machine.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return Array.from({ length: STEPS }, (_, index): Step => {
    const operation = BAG[below(BAG.length)] ?? "look";
    return {
      operation,
      process: below(PROCESSES),
      project: below(8) === 0 ? "blog" : "shop",
      zone: ZONES[below(4) === 0 ? 1 : 0],
      line: `line ${index} of ${seed}`,
      serial: below(30),
      isOdd: below(2) === 1,
      fault: ([undefined, undefined, undefined, "dropped", "lost-reply"] as const)[below(5)],
    };
  });
}

type Operation = keyof typeof OPERATIONS;

/** Each as often as it is drawn: operations of holders are frequent, or most histories would end without a state. */
const BAG: readonly Operation[] = (
  [
    ["lock", 12],
    ["release", 3],
    ["check", 3],
    ["append", 12],
    ["write", 12],
    ["keep", 4],
    ["discard", 2],
    ["rewrite", 2],
    ["retire", 1],
    ["unlock", 4],
    ["observe", 3],
    ["condense", 2],
    ["read", 6],
    ["look", 10],
    ["kill", 4],
    ["disconnect", 4],
  ] as const
).flatMap(([name, times]) => Array.from({ length: times }, () => name));
