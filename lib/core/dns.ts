/** A CAA record (RFC 8659, section 4.1). */
export interface CaaRecord {
  /** 128 means that a CA that does not know the tag must not issue. */
  readonly flags: number;
  /** Lower case: `issue`, `issuewild`, `iodef`, or another. */
  readonly tag: string;
  readonly value: string;
}

/**
 * Why DNS gave no answer; that says nothing about the records. `not-asked` means that we gave up: too many earlier
 * queries got no answer.
 */
export type DnsFault = "server-failed" | "timed-out" | "refused" | "unreachable" | "unreadable" | "not-asked";

/** A DNS answer: records; no such name; no such record; or a fault. */
export type DnsAnswer<T> =
  | { readonly status: "found"; readonly records: readonly T[] }
  | { readonly status: "not-found" }
  | { readonly status: "no-answer" }
  | { readonly status: "failed"; readonly fault: DnsFault };

/** DNS as a parameter. Names are lower case without a trailing dot. Never rejects: a fault is an answer. */
export interface Dns {
  /** The target of an alias. */
  resolveCname(name: string): Promise<DnsAnswer<string>>;
  /** The CAA records of exactly this name, following aliases; the caller climbs to the parent names. */
  resolveCaa(name: string): Promise<DnsAnswer<CaaRecord>>;
  /** The IPv4 and IPv6 addresses, following aliases. */
  resolveAddresses(name: string): Promise<DnsAnswer<string>>;
}
