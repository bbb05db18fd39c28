import type { Random } from "../../lib/core/clock.ts";
import { type Rig, ZONE } from "../support/engine.ts";
import { zoneOf } from "./live.ts";

type Metadata = Readonly<Record<string, string>>;

/** A SaaS provider's product: it creates hostnames for its customers, writes their metadata, and deletes them. */
export interface Application {
  /** Does one random thing. */
  act(): void;
  /** What it wrote last: the metadata of each of its hostnames, by name. */
  hostnames(): ReadonlyMap<string, Metadata>;
  /** How often it did what. */
  readonly done: Readonly<Record<"create" | "delete" | "edit" | "recreate", number>>;
}

const PATH = `/zones/${ZONE.id}/custom_hostnames`;
const TIERS = ["gold", "silver", "bronze"];

/** An application that does not know Zoneform; `names` is how many customers it has at most. */
export function openApplication(rig: Rig, random: Random, names: number): Application {
  const hostnames = new Map<string, Metadata>();
  const done = { create: 0, delete: 0, edit: 0, recreate: 0 };
  let writes = 0;

  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random.fraction() * items.length)];
  const metadata = (): Metadata => ({ tier: pick(TIERS) ?? "", write: String((writes += 1)) });
  const call = (method: string, path: string, body?: { [key: string]: never | string | object }): void => {
    const text = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
    const { status, body: answer } = rig.admin.dashboard(method, path, text);
    if (status >= 300) throw new Error(`the application met ${status} ${answer}`);
  };
  const idOf = (name: string): string => {
    const record = zoneOf(rig).hostnames.named(name);
    if (!record) throw new Error(`${name} of the application is gone`);
    return record.id;
  };

  const create = (name: string): void => {
    const custom_metadata = metadata();
    const settings = { min_tls_version: "1.0", http2: "off" };
    call("POST", PATH, { hostname: name, custom_metadata, ssl: { method: "http", type: "dv", settings } });
    hostnames.set(name, custom_metadata);
    done.create += 1;
  };
  const remove = (name: string): void => {
    call("DELETE", `${PATH}/${idOf(name)}`);
    hostnames.delete(name);
    done.delete += 1;
  };
  const edit = (name: string): void => {
    const custom_metadata = metadata();
    call("PATCH", `${PATH}/${idOf(name)}`, { custom_metadata });
    hostnames.set(name, custom_metadata);
    done.edit += 1;
  };

  return {
    act: () => {
      const chance = random.fraction();
      const mine = pick([...hostnames.keys()]);
      if (chance < 0.3 || mine === undefined) {
        const name = `c${Math.floor(random.fraction() * names)}.customers.net`;
        if (!hostnames.has(name)) create(name);
      } else if (chance < 0.4) remove(mine);
      else if (chance < 0.5) {
        remove(mine);
        create(mine);
        done.recreate += 1;
      } else edit(mine);
    },
    hostnames: () => hostnames,
    done,
  };
}
