/**
 * One part of a path, encoded, so that an id from the service or from an import cannot lead a call elsewhere.
 * Throws where encoding does not help: an empty part, and the dots that URLs resolve away.
 */
export function pathSegment(text: string): string {
  if (text === "" || text === "." || text === "..") {
    throw new Error(`the id ${JSON.stringify(text)} cannot stand in a path`);
  }
  return encodeURIComponent(text);
}

/** Whether a path consists of whole, encoded parts: what `pathSegment` gives, joined by slashes. */
export function isSafePath(path: string): boolean {
  const [first, ...parts] = path.split("/");
  return (
    first === "" &&
    parts.length > 0 &&
    parts.every((part) => /^[\w.~!*'()%-]+$/.test(part) && !/^(?:\.|%2e){1,2}$/i.test(part))
  );
}
