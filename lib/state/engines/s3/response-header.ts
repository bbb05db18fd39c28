/** A header of an answer as the library gives it; empty if it has none. */
export function headerIn(response: unknown, name: string): string {
  const headers: unknown =
    typeof response === "object" && response !== null && "headers" in response && response.headers;
  const value: unknown = typeof headers === "object" && headers !== null && Reflect.get(headers, name);
  return typeof value === "string" ? value : "";
}
