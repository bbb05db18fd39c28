import type { Kind, KindName } from "./kind.ts";
import * as registered from "./registered.ts";

/** Every kind of resource, in the order in which they are carried out. */
export const KINDS: readonly Kind[] = Object.values<Kind>(registered).toSorted(
  // Names are compared by their characters: a language's own order takes Node longer to load than all the kinds.
  (a, b) => a.stage - b.stage || (a.name < b.name ? -1 : 1),
);

const byName = new Map<string, Kind>(KINDS.map((kind) => [kind.name, kind]));

/** The kind of that name. Throws where there is none: the name has been checked before. */
export function kindNamed(name: KindName): Kind {
  const kind = byName.get(name);
  if (!kind) throw new Error(`there is no kind of resource named ${name}`);
  return kind;
}

/** The kind of a name that somebody typed, or undefined. */
export function kindIfNamed(name: string): Kind | undefined {
  return byName.get(name);
}
