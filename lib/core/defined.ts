/** `T` without undefined values: a property that may be undefined becomes optional, the others stay. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The properties that have a value: `{ ...defined({ zone }) }` has no key `zone` if the zone is undefined. */
export function defined<T extends object>(properties: T): Defined<T>;
export function defined(properties: object): object {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}
