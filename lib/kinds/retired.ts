/**
 * The state's key for a replaced object until it is deleted (`Strategies.replacement`): its own key plus its id,
 * because by then its successor has the key.
 */
export function retiredKey(key: string, id: string): string {
  return `${key}#${id}`;
}

/** The successor's key for the key of a replaced object, or undefined for any other key. */
export function successorKey(key: string): string | undefined {
  const [, successor] = /^(.+)#[^#]+$/.exec(key) ?? [];
  return successor;
}
