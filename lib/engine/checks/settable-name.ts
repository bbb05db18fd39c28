import { climb, isUnder } from "./names.ts";

/**
 * The domain that was registered, below which its owner sets the records; undefined for a name that is a public suffix
 * itself, such as `co.uk`. The list of suffixes is large, so it is loaded by the first name that is asked about.
 */
export async function registeredDomain(name: string): Promise<string | undefined> {
  const { getDomain } = await import("tldts");
  const [plain = name] = climb(name);
  return getDomain(plain, { allowPrivateDomains: true, validateHostname: false }) ?? undefined;
}

/**
 * Where the owner of a hostname can answer CAA records that stand at another name: there, or, where they stand at a public
 * suffix, at the registered domain, whose records are nearer. Records at the end of an alias are answered only there.
 */
export async function settableName(hostname: string, at: string): Promise<string> {
  if (!climb(hostname).includes(at)) return at;
  const domain = await registeredDomain(hostname);
  return domain === undefined || isUnder(at, domain) ? at : domain;
}

/** Where a record is sure to count that nobody could look up: above the hostname, since nothing can stand beside its CNAME. */
export async function nameAbove(hostname: string): Promise<string> {
  const [own = hostname, parent = own] = climb(hostname);
  const domain = await registeredDomain(own);
  return domain === undefined || own === domain ? own : parent;
}
