import { describe, expect, it } from "vitest";
import type { Plan } from "../../../lib/plan/change.ts";
import { text } from "../../support/emulator.ts";
import { changesOf, dnsRecords, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { dashboard, hostnameOf, members, pathOf, type Rule } from "./foreign-edits.ts";
import { inTime, PATH, useUp, withBudget } from "./fresh-reads-world.ts";

const A_DAY = 24 * 60 * 60_000;
const CALLS = 12;
/** The middle of the five minutes that a run waits after it has used up its share. */
const MID_WAIT_MILLISECONDS = 150_000;
const OLDEST_READ_MILLISECONDS = 1000;
const PACKS = `${PATH}/ssl/certificate_packs`;

/** An object that is deleted because another one replaced it. */
interface Succession {
  readonly what: string;
  /** A rig in which the new one serves, and the plan deletes the old one. */
  readonly open: () => Promise<Rig>;
  readonly pathOfOld: (rig: Rig) => string | undefined;
  readonly pathOfNew: (rig: Rig) => string | undefined;
}

const ssl = { type: "dv", method: "http" };
const hostnames = (names: readonly string[], more: object = {}): object => ({
  version: 1,
  zone: ZONE,
  custom_hostnames: { lifecycle: "zoneform", entries: names.map((hostname) => ({ hostname, ssl })) },
  ...more,
});
const packs = (...authorities: readonly string[]): object => ({
  version: 1,
  zone: ZONE,
  certificate_packs: authorities.map((certificate_authority) => ({
    hosts: ["saas.net", "*.saas.net"],
    validation_method: certificate_authority === "ssl_com" ? "email" : "txt",
    validity_days: 90,
    certificate_authority,
  })),
});

async function rigWith(file: object): Promise<Rig> {
  const rig = openRig({
    hasUsualLimits: true,
    zone: { plan: "enterprise", dns_records: dnsRecords() },
    files: { "zones/a.yaml": file },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(A_DAY);
  return rig;
}

const livePacks = (rig: Rig): readonly Rule[] => {
  const found = dashboard(rig, "GET", `${PACKS}?status=all&per_page=50`);
  return (Array.isArray(found) ? found.map(members) : []).filter(
    ({ type, status }) => type === "advanced" && status !== "pending_deletion",
  );
};
const packOf = (rig: Rig, authority: string): string | undefined => {
  const found = livePacks(rig).find((each) => each["certificate_authority"] === authority);
  return found && `${PACKS}/${text(found, "id")}`;
};

const SUCCESSIONS: readonly Succession[] = [
  {
    what: "a hostname that has moved to another name",
    open: async () => {
      const rig = await rigWith(hostnames(["app.customer.net"]));
      const moved = [{ from: 'custom_hostname["app.customer.net"]', to: 'custom_hostname["shop.customer.net"]' }];
      rig.write("zones/a.yaml", hostnames(["shop.customer.net"], { moved }));
      expect(failuresOf(await rig.run())).toEqual([]);
      await rig.wait(A_DAY);
      return rig;
    },
    pathOfOld: (rig) => (hostnameOf(rig, "app.customer.net") === null ? undefined : pathOf(rig, "app.customer.net")),
    pathOfNew: (rig) => (hostnameOf(rig, "shop.customer.net") === null ? undefined : pathOf(rig, "shop.customer.net")),
  },
  {
    what: "a certificate pack whose successor took long to serve",
    open: async () => {
      const rig = await rigWith(packs("google"));
      rig.write("zones/a.yaml", packs("ssl_com"));
      expect(failuresOf(await rig.run())).toEqual([]);
      // Somebody finally opens the mail.
      const pack = rig.service.core.store.zones.get(ZONE.id)?.packs.get((packOf(rig, "ssl_com") ?? "").slice(-36));
      if (pack) pack.status = "active";
      return rig;
    },
    pathOfOld: (rig) => packOf(rig, "google"),
    pathOfNew: (rig) => packOf(rig, "ssl_com"),
  },
];

describe.each(SUCCESSIONS)("$what", ({ open, pathOfOld, pathOfNew }) => {
  async function planned(budget: string): Promise<{ rig: Rig; plan: Plan; old: string; next: string }> {
    const rig = await open();
    await withBudget(rig, budget);
    const plan = await rig.plan();
    expect(changesOf(plan).map(({ action }) => action)).toEqual(["delete"]);
    return { rig, plan, old: pathOfOld(rig) ?? "", next: pathOfNew(rig) ?? "" };
  }

  it("is deleted right after its own read, which follows the read of its successor", async () => {
    for (let calls = 0; calls < CALLS; calls += 1) {
      const { rig, plan, old, next } = await planned("1%");
      await useUp(rig, plan, calls);
      const { log } = rig.service.core;
      log.reset();
      expect(failuresOf(await inTime(rig, rig.apply(plan)))).toEqual([]);
      const entries = log.entries();
      const gone = entries.findIndex(({ method, path }) => method === "DELETE" && path === old);
      const [own, before] = [entries[gone - 1], entries.slice(0, gone).findLast((each) => shows(each, next))];
      expect([own?.method, own?.path], `${calls} calls were used up`).toEqual(["GET", old]);
      for (const read of [own, before]) {
        const age = (entries[gone]?.at ?? Infinity) - (read?.at ?? -Infinity);
        expect(age, `${calls} calls were used up`).toBeLessThanOrEqual(OLDEST_READ_MILLISECONDS);
      }
    }
  });

  it("stays if its successor was deleted while the run waited", async () => {
    let waits = 0;
    for (let calls = 0; calls < CALLS; calls += 1) {
      const { rig, plan, next } = await planned("1%");
      await useUp(rig, plan, calls);
      let isDue = false;
      const deleteNext = (): void => {
        isDue = pathOfOld(rig) !== undefined;
        if (isDue) dashboard(rig, "DELETE", next);
      };
      void rig.clock.sleep(MID_WAIT_MILLISECONDS).then(deleteNext);
      await inTime(rig, rig.apply(plan));
      if (!isDue) continue;
      waits += 1;
      expect(pathOfOld(rig), `${calls} calls were used up`).toBeDefined();
    }
    expect(waits).toBeGreaterThan(0);
  });

  it("stays if its successor was deleted while the write was refused with 429", async () => {
    const { rig, plan, next } = await planned("100%");
    let writes = 0;
    rig.network(async ({ method }, _index, pass) => {
      if (method !== "GET" && writes++ === 0) {
        const fault = { kind: "throttle", code: 10100, status: 429, retryAfter: 6 } as const;
        rig.service.core.faults.order({ fault, count: 1 });
        void rig.clock.sleep(3000).then(() => dashboard(rig, "DELETE", next));
      }
      return pass();
    });
    await inTime(rig, rig.apply(plan));
    expect(writes).toBeGreaterThan(0);
    expect(pathOfOld(rig)).toBeDefined();
  });
});

/** Whether the request read the object at that path, by itself or in the list of its kind. */
function shows({ method, path }: { readonly method: string; readonly path: string }, object: string): boolean {
  return method === "GET" && (path === object || path === object.replace(/\/[^/]*$/, ""));
}
