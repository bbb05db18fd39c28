/**
 * Encodes one part of a path, so that an id from the service or from an import cannot send a call elsewhere. Throws if
 * encoding does not help: for an empty part, and for the dots that URLs resolve.
 */
export function pathSegment(text: string): string {
  if (text === "" || text === "." || text === "..") {
    throw new Error(`the id ${JSON.stringify(text)} cannot stand in a path`);
  }
  return encodeURIComponent(text);
}

/** Whether a path consists of whole, encoded parts, as `pathSegment` returns them, joined by slashes. */
export function isSafePath(path: string): boolean {
  const [first, ...parts] = path.split("/");
  return (
    first === "" &&
    parts.length > 0 &&
    parts.every((part) => /^[\w.~!*'()%-]+$/.test(part) && !/^(?:\.|%2e){1,2}$/i.test(part))
  );
}
