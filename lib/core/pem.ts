import { createPrivateKey, X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/**
 * The certificates and keys of a PEM, without what stands between them; empty for any other text. Somebody who may only
 * write the YAML chooses which file or variable it names. So what is hidden in output is only what can be uploaded as a
 * certificate or a key, and never a word of a report: an encrypted key is refused, and could be made of such words.
 */
export function pemBlocks(text: string): string {
  return [...text.matchAll(BLOCK)].flatMap(([block, type = ""]) => (isReadable(type, block) ? block : [])).join("\n");
}

function isReadable(type: string, block: string): boolean {
  try {
    const read = type.endsWith("PRIVATE KEY") ? createPrivateKey(block) : new X509Certificate(block);
    return Boolean(read);
  } catch {
    // OpenSSL says in many ways that it is something else.
    return false;
  }
}
