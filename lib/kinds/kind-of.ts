import type { Compared } from "./traits/compared.ts";
import type { Declared } from "./traits/declared.ts";
import type { Identity } from "./traits/identity.ts";
import type { Judged } from "./traits/judged.ts";
import type { Read, Written } from "./traits/remote.ts";
import type { Strategies } from "./traits/strategies.ts";

/**
 * The kind of resource of that name: everything that the engine needs to know about it, and the only place that knows it.
 * `Declared`, `Compared`, `Judged` and what `Strategies` holds are pure; `Read` and `Written` call the service. `Beside` is
 * the name of the kind that its call writes along, where it does (`Strategies.companion`), `Own` the codes that it alone raises.
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
