import type { Compared } from "./traits/compared.ts";
import type { Declared } from "./traits/declared.ts";
import type { Identity } from "./traits/identity.ts";
import type { Judged } from "./traits/judged.ts";
import type { Read, Written } from "./traits/remote.ts";
import type { Strategies } from "./traits/strategies.ts";

/**
 * The kind of resource with that name: everything that the engine knows about it. `Declared`, `Compared`, `Judged` and
 * the members of `Strategies` are pure; `Read` and `Written` call the service. `Beside` is the name of the kind that
 * the same call writes, or that does not work without this one (`Strategies.companion`, `Strategies.carries`); `Own` are
 * the codes that only this kind raises.
 */
export type KindOf<Name extends string, Beside extends string = never, Own extends string = never> = Identity<
  Name,
  Own
> &
  Declared &
  Compared &
  Judged &
  Read &
  Written &
  Strategies<Beside>;
