/** A CAA record (RFC 8659, section 4.1). */
export interface CaaRecord {
  /** 128 says that a CA that does not know the tag must not issue. */
  readonly flags: number;
  /** Lower case: `issue`, `issuewild`, `iodef`, or another. */
  readonly tag: string;
  readonly value: string;
}

/**
 * Why DNS gave no answer, which says nothing of what it would have said. `not-asked` is given up: too many questions
 * before had no answer.
 */
export type DnsFault = "server-failed" | "timed-out" | "refused" | "unreachable" | "unreadable" | "not-asked";

/** What DNS says: records; that there is no such name; that the name has no such record; or nothing, for a fault. */
export type DnsAnswer<T> =
  | { readonly status: "found"; readonly records: readonly T[] }
  | { readonly status: "not-found" }
  | { readonly status: "no-answer" }
  | { readonly status: "failed"; readonly fault: DnsFault };

/** DNS as a parameter. Names are lower case and without a dot at the end. Never rejects: a fault is an answer. */
export interface Dns {
  /** The next name of an alias. */
  resolveCname(name: string): Promise<DnsAnswer<string>>;
  /** The CAA records of the name itself, aliases followed; climbing is the caller's part. */
  resolveCaa(name: string): Promise<DnsAnswer<CaaRecord>>;
  /** The IPv4 and IPv6 addresses, aliases followed. */
  resolveAddresses(name: string): Promise<DnsAnswer<string>>;
}
