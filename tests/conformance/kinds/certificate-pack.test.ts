import { describe, expect, it } from "vitest";
import { withDeclaration } from "../../../lib/config/declare.ts";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import type { SeedZone } from "../../../lib/emulator.ts";
import { waitUntilReady } from "../../../lib/apply/wait.ts";
import { findForImport, importIntoState } from "../../../lib/engine/import.ts";
import { why } from "../../../lib/engine/why.ts";
import { changesOf, endingsOf, failuresOf, HOLDER, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";

const ADDRESS = 'certificate_pack["*.saas.net,saas.net"]';
const HOUR_MILLISECONDS = 3_600_000;
const PACKS = `/zones/${ZONE.id}/ssl/certificate_packs`;

const GOOGLE = { validation_method: "txt", validity_days: 90, certificate_authority: "google" };
const SSL_COM = { ...GOOGLE, certificate_authority: "ssl_com" };

/** A zone file with a pack for each set of values, all for the same hosts. */
function zoneFile(...packs: readonly object[]): object {
  return {
    version: 1,
    zone: ZONE,
    certificate_packs: packs.map((values) => ({ hosts: ["saas.net", "*.saas.net"], ...values })),
  };
}

function rigFor(file: object, zone: Partial<SeedZone> = {}): Rig {
  return openRig({ zone, files: { "zones/a.yaml": file } });
}

/** A rig in which a pack of google has been applied and serves. */
async function grown(zone: Partial<SeedZone> = {}): Promise<Rig> {
  const rig = rigFor(zoneFile(GOOGLE), zone);
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  return rig;
}

/** The advanced packs, with CA and status. */
function packsOf(rig: Rig): readonly string[] {
  const { result } = JSON.parse(rig.admin.dashboard("GET", `${PACKS}?status=all&per_page=50`).body);
  return result
    .filter((pack: { type: string; status: string }) => pack.type === "advanced" && pack.status !== "pending_deletion")
    .map((pack: { certificate_authority: string; status: string }) => `${pack.certificate_authority} ${pack.status}`);
}

function idsOf(rig: Rig): readonly string[] {
  const { result } = JSON.parse(rig.admin.dashboard("GET", `${PACKS}?status=all&per_page=50`).body);
  return result.filter(({ type }: { type: string }) => type === "advanced").map(({ id }: { id: string }) => id);
}

function requests(rig: Rig): readonly string[] {
  return rig.service.core.log
    .entries()
    .filter(({ method, path }) => method !== "GET" && path.includes("/certificate_packs"))
    .map(({ method }) => method);
}

/** Plans and applies until nothing is left to do. */
async function settle(rig: Rig): Promise<void> {
  for (let runs = 0; runs < 6; runs += 1) {
    const plan = await rig.plan();
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    if (changesOf(plan).length === 0) return;
    await rig.wait(HOUR_MILLISECONDS);
  }
  throw new Error("it does not converge");
}

describe("a certificate pack, from YAML alone", () => {
  it("is ordered, becomes ready, and then stays unchanged", async () => {
    const rig = rigFor(zoneFile({ ...GOOGLE, hosts: ["SAAS.net.", "*.saas.net"] }));
    const plan = await rig.plan();
    expect(changesOf(plan).map(({ address, action, hazards }) => [address, action, hazards])).toEqual([
      [ADDRESS, "create", ["needs-customer"]],
    ]);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect(changesOf(await rig.plan())).toEqual([]);
    const world = { client: rig.world().connect((await rig.plan()).budget), clock: rig.clock, report: () => undefined };
    const objects = [{ kind: "certificate_pack", key: "*.saas.net,saas.net" }] as const;
    expect(await waitUntilReady(world, [{ zone: ZONE, objects }], HOUR_MILLISECONDS)).toEqual({
      ready: 1,
      notReady: [],
    });
    expect(packsOf(rig)).toEqual(["google active"]);
  });

  it("is replaced by ordering the new one first, and the old one is deleted only when the new one serves", async () => {
    const rig = await grown();
    rig.write("zones/a.yaml", zoneFile(SSL_COM));
    const served: (readonly string[])[] = [];
    rig.network(async (request, _index, pass) => {
      if (request.method !== "GET") served.push(packsOf(rig));
      const answer = await pass();
      expect(packsOf(rig).some((pack) => pack.endsWith(" active"))).toBe(true);
      return answer;
    });
    const [change] = changesOf(await rig.plan());
    expect([change?.action, change?.hazards]).toEqual(["replace", ["needs-customer", "reissue"]]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(served).toEqual([["google active"], ["google active", "ssl_com active"]]);
    expect(requests(rig).slice(-2)).toEqual(["POST", "DELETE"]);
    expect(packsOf(rig)).toEqual(["ssl_com active"]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("keeps the old one while the new one does not serve, and says so", async () => {
    const rig = await grown();
    rig.write("zones/a.yaml", zoneFile({ ...SSL_COM, validation_method: "email" }));
    const report = await rig.run();
    expect(failuresOf(report)).toEqual([]);
    expect(JSON.stringify(endingsOf(report)[0]?.outcome)).toMatch(/serves traffic until this one does/);
    await rig.wait(HOUR_MILLISECONDS);
    const [held] = changesOf(await rig.plan());
    expect([held?.action, held?.held?.reason]).toEqual(["held", expect.stringMatching(/pending_validation/)]);
    expect(await rig.drift()).toEqual([]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(packsOf(rig)).toEqual(["google active", "ssl_com pending_validation"]);
    rig.write("zones/a.yaml", zoneFile(SSL_COM));
    await settle(rig);
    expect(packsOf(rig)).toEqual(["ssl_com active"]);
  });

  it("is put back if the new one cannot be ordered", async () => {
    const rig = await grown({ grants: { certificate_packs: 1 } });
    const before = (await rig.state())?.objects;
    rig.write("zones/a.yaml", zoneFile(SSL_COM));
    expect(failuresOf(await rig.run())).toHaveLength(1);
    expect((await rig.state())?.objects).toEqual(before);
    expect(packsOf(rig)).toEqual(["google active"]);
    rig.write("zones/a.yaml", zoneFile(GOOGLE));
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("is deleted when its entry is removed, which is an outage", async () => {
    const rig = await grown();
    rig.write("zones/a.yaml", zoneFile());
    const [change] = changesOf(await rig.plan());
    expect([change?.action, change?.hazards]).toEqual(["delete", ["outage"]]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect([packsOf(rig), changesOf(await rig.plan())]).toEqual([[], []]);
  });

  it("says what is missing if the zone has no certificate manager", async () => {
    const rig = rigFor(zoneFile(GOOGLE), { grants: { certificate_manager: false } });
    expect(failuresOf(await rig.run()).join()).toMatch(/Advanced Certificate Manager/);
  });
});

describe("several packs with the same hosts", () => {
  it("of which none is tracked: the one that matches the declaration is adopted, and the other one left alone", async () => {
    const certificate_packs = [{ certificate_authority: "ssl_com" }, { certificate_authority: "google" }];
    for (const order of [certificate_packs, certificate_packs.toReversed()]) {
      const rig = rigFor(zoneFile(SSL_COM), { certificate_packs: order });
      expect(inWords(changesOf(await rig.plan()))).toEqual([`adopt ${ADDRESS} config`]);
      expect(failuresOf(await rig.run())).toEqual([]);
      expect(changesOf(await rig.plan())).toEqual([]);
      expect(packsOf(rig)).toHaveLength(2);
    }
  });

  it("of which one is tracked: the foreign one is neither compared nor deleted", async () => {
    const rig = await grown();
    const body = { type: "advanced", hosts: ["saas.net", "*.saas.net"], ...SSL_COM };
    expect(rig.admin.dashboard("POST", `${PACKS}/order`, body).status).toBe(200);
    await rig.wait(HOUR_MILLISECONDS);
    expect(changesOf(await rig.plan())).toEqual([]);
    expect((await why(rig.world(), { file: rig.file }, ADDRESS)).action).toBe("no-op");
    rig.write("zones/a.yaml", zoneFile({ ...GOOGLE, validity_days: 30 }));
    await settle(rig);
    expect(packsOf(rig)).toEqual(["ssl_com active", "google active"]);
  });

  it("are refused if both are declared", async () => {
    const rig = rigFor(zoneFile(GOOGLE, SSL_COM));
    const refused = await rig.plan().catch((thrown: unknown) => thrown);
    expect(refused instanceof Refusal && refused.diagnostics.map(({ code }) => code)).toEqual(["declared-twice"]);
  });
});

describe("importing a certificate pack", () => {
  it.each([[undefined], [ADDRESS]])("by its id, with the address %s, declares it as it is", async (address) => {
    const rig = openRig({
      zone: { certificate_packs: [{ certificate_authority: "ssl_com" }] },
      files: { "zones/a.yaml": { version: 1, zone: ZONE } },
    });
    const id = `${ZONE.id}/${idsOf(rig)[0] ?? ""}`;
    const found = await findForImport(rig.world(), { file: rig.file }, id, address);
    rig.write(
      "zones/a.yaml",
      withDeclaration(rig.read("zones/a.yaml"), found.kind, found.live.key, found.kind.declared(found.live)),
    );
    const { object } = await findForImport(rig.world(), { file: rig.file }, id, address);
    if (!object) throw new Error("it is declared by now");
    await importIntoState(rig.world(), { ...found, object }, HOLDER, 0);
    expect(found.kind.importId(ZONE.id, found.live)).toBe(id);
    expect((await rig.state())?.objects.get(ADDRESS)?.applied).toMatchObject(SSL_COM);
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});

describe("importing another pack with the same hosts", () => {
  /** A pack of google is tracked and serves, and one of ssl_com is to be imported. Returns the latter's id. */
  async function beside(): Promise<{ rig: Rig; id: string; importing: () => Promise<void> }> {
    const rig = await grown();
    const body = { type: "advanced", hosts: ["saas.net", "*.saas.net"], ...SSL_COM };
    const id: string = JSON.parse(rig.admin.dashboard("POST", `${PACKS}/order`, body).body).result.id;
    await rig.wait(HOUR_MILLISECONDS);
    const importing = async (): Promise<void> => {
      const { object, ...found } = await findForImport(rig.world(), { file: rig.file }, `${ZONE.id}/${id}`);
      if (!object) throw new Error("it is declared");
      await importIntoState(rig.world(), { ...found, object }, HOLDER, 0);
    };
    return { rig, id, importing };
  }

  it("is refused while the tracked one is live, because that one would be orphaned silently", async () => {
    const { rig, importing } = await beside();
    const before = (await rig.state())?.objects;
    const refused = await importing().catch((thrown: unknown) => thrown);
    expect(refused instanceof Refusal && refused.diagnostics.map(({ code }) => code)).toEqual(["another-is-tracked"]);
    expect((await rig.state())?.objects).toEqual(before);
  });

  it("replaces one that is gone", async () => {
    const { rig, id, importing } = await beside();
    const gone = (await rig.state())?.objects.get(ADDRESS)?.id ?? "";
    expect(rig.admin.dashboard("DELETE", `${PACKS}/${gone}`).status).toBe(200);
    await importing();
    expect((await rig.state())?.objects.get(ADDRESS)?.id).toBe(id);
  });
});

/** What the YAML says after the stopped run, and what has to exist in the end. */
const AFTERWARDS = [
  ["continues", zoneFile(SSL_COM), ["ssl_com active"]],
  ["goes back", zoneFile(GOOGLE), ["google active"]],
  ["wants a third CA", zoneFile({ ...GOOGLE, certificate_authority: "lets_encrypt" }), ["lets_encrypt active"]],
  ["wants none", zoneFile(), []],
] as const;

describe("a replacement that is cut off at any request", () => {
  it.each(AFTERWARDS)("leaves nothing behind when the next run %s", async (_what, next, wanted) => {
    for (const arrives of [true, false]) {
      for (let stop = 1, isWhole = false; !isWhole; stop += 1) {
        const rig = await grown();
        rig.write("zones/a.yaml", zoneFile(SSL_COM));
        cutAt(rig, stop, arrives);
        isWhole = (await rig.untilCrash(rig.run())) !== "crashed";
        await rig.restart();
        expect([stop, packsOf(rig).filter((pack) => pack.endsWith(" active")).length > 0]).toEqual([stop, true]);
        await rig.wait(HOUR_MILLISECONDS);
        rig.write("zones/a.yaml", next);
        await settle(rig);
        expect([stop, packsOf(rig)]).toEqual([stop, wanted]);
        expect((await rig.state())?.objects.size).toBe(wanted.length);
      }
    }
  });

  it("continues with the plan that was approved", async () => {
    for (const arrives of [true, false]) {
      for (let stop = 1, isWhole = false; !isWhole; stop += 1) {
        const rig = await grown();
        rig.write("zones/a.yaml", zoneFile(SSL_COM));
        const plan = await rig.plan();
        cutAt(rig, stop, arrives);
        isWhole = (await rig.untilCrash(rig.apply(plan))) !== "crashed";
        await rig.restart();
        await rig.wait(HOUR_MILLISECONDS);
        expect([stop, failuresOf(await rig.apply(plan))]).toEqual([stop, []]);
        await settle(rig);
        expect([stop, packsOf(rig)]).toEqual([stop, ["ssl_com active"]]);
        expect((await rig.state())?.objects.size).toBe(1);
      }
    }
  });

  it("also leaves nothing behind when it is cut off at any write of the state", async () => {
    for (const arrives of [true, false]) {
      for (let stop = 1, isWhole = false; !isWhole; stop += 1) {
        const rig = await grown();
        rig.write("zones/a.yaml", zoneFile(SSL_COM));
        rig.storage(async (index, pass) => {
          if (index !== stop) return pass();
          if (arrives) await pass();
          rig.crash();
          return new Promise<never>(() => undefined);
        });
        isWhole = (await rig.untilCrash(rig.run())) !== "crashed";
        await rig.restart();
        await rig.wait(HOUR_MILLISECONDS);
        await settle(rig);
        expect([stop, packsOf(rig)]).toEqual([stop, ["ssl_com active"]]);
        expect((await rig.state())?.objects.size).toBe(1);
      }
    }
  });

  it("orders once if only the response is lost", async () => {
    const rig = await grown();
    rig.write("zones/a.yaml", zoneFile(SSL_COM));
    rig.service.core.faults.order({ fault: { kind: "lost-reply" }, method: "POST", count: 1 });
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(packsOf(rig)).toEqual(["ssl_com active"]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});

/** The process dies at the request with this number, which arrives or not. */
function cutAt(rig: Rig, stop: number, arrives: boolean): void {
  rig.network(async (_request, index, pass) => {
    if (index !== stop) return pass();
    if (arrives) await pass();
    rig.crash();
    return new Promise<never>(() => undefined);
  });
}

describe("a pack that was ordered", () => {
  it("is known to the next run by its id, from the journal alone, although this run is killed while it waits", async () => {
    const rig = await grown();
    rig.write("zones/a.yaml", zoneFile(SSL_COM));
    let ordered = "";
    rig.network(async ({ method, url }, _index, pass) => {
      const answer = await pass();
      if (method === "POST" && url.endsWith("/order")) ordered = JSON.parse(answer.body).result.id;
      // Looks by id whether the pack serves.
      else if (ordered !== "" && url.includes(`/certificate_packs/${ordered}`)) rig.crash();
      return answer;
    });
    expect(await rig.untilCrash(rig.run())).toBe("crashed");
    await rig.restart();
    const known = (await rig.state())?.objects.get(ADDRESS);
    expect([known?.id, known?.pending]).toEqual([ordered, undefined]);
  });
});
