/** A part of an address without its percent-encoding. `fault` makes the error of an address that cannot be used. */
export function decodedPart(text: string, fault: (what: string) => Error): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fault("a part of it has a % that is no percent-encoding; write a % as %25");
  }
}

/** What stands behind the `?` of an address, in its order. Other names than these are faults. */
export function parametersIn<Name extends string>(
  query: string,
  names: readonly Name[],
  fault: (what: string) => Error,
): readonly (readonly [Name, string])[] {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [text = "", value = ""] = pair.split(/=(.*)/s, 2);
      const name = names.find((each) => each === text);
      if (name === undefined)
        throw fault(
          `it has a parameter that is not known: ${JSON.stringify(text.slice(0, 40))}; known are ${names.join(", ")}`,
        );
      return [name, decodedPart(value, fault)];
    });
}
