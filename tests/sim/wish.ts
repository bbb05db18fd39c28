import type { JsonObject } from "../../lib/core/json.ts";
import { ALL_KINDS } from "./kinds.ts";
import { hostnameAddress } from "./kinds/custom-hostname.ts";
import { MAIN, type SimZone } from "./zones.ts";

/** A hostname as the YAML declares it; what is absent is unmanaged. */
export interface WishedHostname {
  readonly origin?: string;
  readonly tier?: string;
  /** Whether it has a certificate, and the minimum version of TLS. */
  readonly tls?: "1.0" | "1.2" | "none";
  /** Its certificate is the owner's own, from secrets. */
  readonly isOwn?: true;
  readonly branding?: boolean;
  readonly protect?: boolean;
}

/** A rule of the entry point. */
export interface WishedRule {
  readonly name: string;
  readonly path: string;
}

/** The target of the zone's migration, and whether the YAML allows the last step. */
export interface WishedMigration {
  readonly target: "validation" | "new";
  readonly isConfirmed: boolean;
  readonly dropsOverrides: boolean;
}

/** The zone's hold; the end of a suspension is not declared. */
export interface WishedHold {
  readonly hold: boolean;
  readonly subdomains: boolean;
}

/** Everything that the YAML says. */
export interface Wish {
  readonly hostnames: ReadonlyMap<string, WishedHostname>;
  readonly rules: readonly WishedRule[] | undefined;
  readonly totalTls: { readonly enabled: boolean; readonly authority: string } | undefined;
  /** The authority of each certificate pack, by its hosts in order, separated by commas. */
  readonly packs: ReadonlyMap<string, string>;
  readonly fallback: string | undefined;
  readonly migration: WishedMigration | undefined;
  readonly hold: WishedHold | undefined;
  /** Values of settings of the zone, by name. */
  readonly settings: ReadonlyMap<string, string>;
  readonly lifecycle: "zoneform" | "app";
  /** Names that were released and are unmanaged. */
  readonly forgotten: ReadonlySet<string>;
  /** The number of the certificate in the environment. */
  readonly secret: number;
}

/** One edit of the YAML. Each sets the new value, so that earlier edits can be left out. */
export type Edit =
  | { readonly edit: "hostname"; readonly name: string; readonly as: WishedHostname | null }
  | { readonly edit: "forget"; readonly name: string }
  | { readonly edit: "rules"; readonly as: readonly WishedRule[] | null }
  | { readonly edit: "total-tls"; readonly as: { readonly enabled: boolean; readonly authority: string } | null }
  | { readonly edit: "pack"; readonly hosts: string; readonly as: string | null }
  | { readonly edit: "fallback"; readonly as: string | null }
  | { readonly edit: "migration"; readonly as: WishedMigration | null }
  | { readonly edit: "hold"; readonly as: WishedHold | null }
  | { readonly edit: "setting"; readonly name: string; readonly as: string | null }
  | { readonly edit: "lifecycle"; readonly as: "zoneform" | "app" }
  | { readonly edit: "secret"; readonly as: number };

/** Before the first edit. */
export const NO_WISH: Wish = {
  hostnames: new Map(),
  rules: undefined,
  totalTls: undefined,
  packs: new Map(),
  fallback: undefined,
  migration: undefined,
  hold: undefined,
  settings: new Map(),
  lifecycle: "zoneform",
  forgotten: new Set(),
  secret: 0,
};

/** The wish after an edit. */
export function edited(wish: Wish, edit: Edit): Wish {
  switch (edit.edit) {
    case "hostname": {
      const hostnames = new Map(wish.hostnames);
      if (!edit.as) hostnames.delete(edit.name);
      else hostnames.set(edit.name, edit.as);
      return { ...wish, hostnames, forgotten: edit.as ? without(wish.forgotten, edit.name) : wish.forgotten };
    }
    case "forget": {
      const hostnames = new Map(wish.hostnames);
      hostnames.delete(edit.name);
      return { ...wish, hostnames, forgotten: new Set([...wish.forgotten, edit.name]) };
    }
    case "rules":
      return { ...wish, rules: edit.as ?? undefined };
    case "total-tls":
      return { ...wish, totalTls: edit.as ?? undefined };
    case "pack": {
      const packs = new Map(wish.packs);
      if (edit.as === null) packs.delete(edit.hosts);
      else packs.set(edit.hosts, edit.as);
      return { ...wish, packs };
    }
    case "fallback":
      return { ...wish, fallback: edit.as ?? undefined };
    case "migration":
      return { ...wish, migration: edit.as ?? undefined };
    case "hold":
      return { ...wish, hold: edit.as ?? undefined };
    case "setting": {
      const settings = new Map(wish.settings);
      if (edit.as === null) settings.delete(edit.name);
      else settings.set(edit.name, edit.as);
      return { ...wish, settings };
    }
    case "lifecycle":
      return { ...wish, lifecycle: edit.as };
    case "secret":
      return { ...wish, secret: edit.as };
    default:
      return edit satisfies never;
  }
}

function without(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set([...names].filter((other) => other !== name));
}

/** The file of a zone; `isInFile` says which hostnames a source declares. */
export function zoneFile(
  wish: Wish,
  isInFile: (hostname: WishedHostname) => boolean = () => false,
  zone: SimZone = MAIN,
  moved: readonly JsonObject[] = [],
): JsonObject {
  const { forgotten } = wish;
  const parts = ALL_KINDS.map(([, kind]) => kind.declared(wish, { zone, isInFile }));
  return {
    version: 1,
    zone: { id: zone.id, name: zone.name },
    ...Object.fromEntries(parts.flatMap((part) => Object.entries(part))),
    ...(moved.length > 0 ? { moved } : {}),
    ...(forgotten.size > 0 ? { forget: [...forgotten].map(hostnameAddress) } : {}),
  };
}
