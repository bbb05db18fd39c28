/** What is listed of a zone. */
export interface ZoneList<T> {
  readonly zone: { readonly id: string; readonly name: string };
  readonly hostnames: readonly T[];
}
