/**
 * The key under which an object that was replaced is known until it is deleted (`Strategies.replacement`): its own key
 * with its id, because its successor has the key by then.
 */
export function retiredKey(key: string, id: string): string {
  return `${key}#${id}`;
}

/** The key of the successor of an object that was replaced, or undefined for the key of any other object. */
export function successorKey(key: string): string | undefined {
  const [, successor] = /^(.+)#[^#]+$/.exec(key) ?? [];
  return successor;
}
