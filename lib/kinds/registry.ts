import type { Kind, KindName } from "./kind.ts";
import * as registered from "./registered.ts";

/** Every kind of resource, in the order in which apply works. */
export const KINDS: readonly Kind[] = Object.values<Kind>(registered).toSorted(
  // Compares names by their characters: a collator takes Node longer to load than all the kinds.
  (a, b) => a.stage - b.stage || (a.name < b.name ? -1 : 1),
);

const byName = new Map<string, Kind>(KINDS.map((kind) => [kind.name, kind]));

/** The kind of that name. Throws if there is none: callers pass checked names. */
export function kindNamed(name: KindName): Kind {
  const kind = byName.get(name);
  if (!kind) throw new Error(`there is no kind of resource named ${name}`);
  return kind;
}

/** The kind for a name that somebody typed, or undefined. */
export function kindIfNamed(name: string): Kind | undefined {
  return byName.get(name);
}
