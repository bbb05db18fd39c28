import type { Clock, Random } from "../core/clock.ts";
import { error, Refusal } from "../core/diagnostic.ts";
import type { FileSystem } from "../core/file-system.ts";
import type { Secret } from "../core/secret.ts";
import type { StateStores } from "../state/stores.ts";

/** What states in PostgreSQL need besides their address. */
interface PostgresOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fs: Pick<FileSystem, "read" | "stat">;
  readonly clock: Clock;
  readonly random: Random;
  readonly user: string;
  readonly schema?: string | undefined;
  readonly learn?: ((secret: Secret) => void) | undefined;
}

/** Stands where the PostgreSQL store goes. Throws `Refusal`. */
export function postgresStores(_address: string, _options: PostgresOptions): StateStores {
  const message = "this build has no PostgreSQL store";
  throw new Refusal([error({ code: "state-engine", message, remedy: "keep the states in a folder" })]);
}
