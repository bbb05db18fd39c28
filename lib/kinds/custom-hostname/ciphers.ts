/**
 * The quality of a cipher: forward secrecy with authenticated encryption (3), forward secrecy alone (2), neither (1),
 * broken (0). Undefined for unknown names. Names are BoringSSL's.
 */
function rankOf(cipher: string): number | undefined {
  if (/3DES|DES-CBC|RC4|NULL|MD5|EXP/.test(cipher)) return 0;
  const isSealed = /GCM|CCM|CHACHA20/.test(cipher);
  if (/^(?:ECDHE|DHE)-/.test(cipher)) return isSealed ? 3 : 2;
  // These names belong to TLS 1.3, which always has forward secrecy.
  if (/^(?:AEAD|TLS_AES|TLS_CHACHA20)/.test(cipher)) return 3;
  return /^(?:AES|CAMELLIA)/.test(cipher) ? 1 : undefined;
}

const BEST = 3;
/** One cipher of each rank, best first, that is in no list: the service knows more ciphers than any list. */
const UNLISTED: readonly string[] = ["ECDHE-OTHER-GCM", "ECDHE-OTHER-SHA", "AES-OTHER-SHA", "DES-CBC3-OTHER"];

/**
 * Whether some client gets a worse cipher than before, or a client is let in with a cipher worse than all that were
 * accepted. A client uses the first one in the list that it supports. No list means all that the service knows, best
 * first.
 */
export function areWorse(before: readonly string[], after: readonly string[]): boolean {
  const [from, to] = [offered(before, after), offered(after, before)];
  const isTaken = (ahead: string, other: string, list: readonly string[]): boolean =>
    list.includes(ahead) && (!list.includes(other) || list.indexOf(ahead) < list.indexOf(other));
  return to.some((now) => {
    const isNew = !from.includes(now) && from.every((one) => isWorse(now, one));
    return isNew || from.some((was) => isWorse(now, was) && isTaken(was, now, from) && isTaken(now, was, to));
  });
}

function offered(own: readonly string[], others: readonly string[]): readonly string[] {
  if (own.length > 0) return own;
  return [...others, ...UNLISTED].toSorted((one, other) => (rankOf(other) ?? 0) - (rankOf(one) ?? 0));
}

/** An unknown cipher cannot be proven to be as good as another. */
function isWorse(now: string, was: string): boolean {
  return now !== was && (rankOf(now) ?? 0) < (rankOf(was) ?? BEST);
}
