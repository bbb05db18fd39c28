// The types of what .ci/compile-validators.mjs generates from seed.schema.json. `#seed-validators` in the `imports` of package.json
// resolves to both. A value that fits a schema has its type: tests/unit/emulator/seed/shape.test.ts checks that they are equal.
import type { DnsAnswer } from "../world.ts";
import type { Seed, SeedTraffic, SeedWaf } from "./shape.ts";

/** A JSON Schema, as far as that of a seed goes. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** A violation of the schema: which keyword failed, where, and how. */
export interface SchemaProblem {
  readonly keyword: string;
  /** A JSON pointer into the value. */
  readonly instancePath: string;
  /** A pointer into the schema. */
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema that contains the keyword. */
  readonly parentSchema: Schema;
  /** The value that violates it. */
  readonly data: unknown;
}

/** Whether a value fits the schema; if not, `errors` says why until the next call. */
export interface Validate<T> {
  (value: unknown): value is T;
  readonly errors?: readonly SchemaProblem[] | null;
}

const schema: Schema;
const seed: Validate<Seed>;
const waf: Validate<SeedWaf>;
const dnsAnswer: Validate<DnsAnswer>;
const traffic: Validate<SeedTraffic>;
