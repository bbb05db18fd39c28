/** Writes the DER values that a certificate request needs (ITU-T X.690). */
export const der = {
  /** Any value with its tag and length. */
  value: (tag: number, ...parts: readonly Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
  },
  sequence: (...parts: readonly Buffer[]): Buffer => der.value(0x30, ...parts),
  set: (...parts: readonly Buffer[]): Buffer => der.value(0x31, ...parts),
  integer: (value: number): Buffer => der.value(0x02, Buffer.from([value])),
  text: (text: string): Buffer => der.value(0x0c, Buffer.from(text, "utf8")),
  octets: (content: Buffer): Buffer => der.value(0x04, content),
  bits: (content: Buffer): Buffer => der.value(0x03, Buffer.from([0]), content),
  /** An object identifier in its dotted form. */
  oid: (dotted: string): Buffer => der.value(0x06, Buffer.from(oidBytes(dotted))),
};

/** DER as PEM. */
export function pemOf(label: string, content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** The first two parts share a byte; the rest are written to base 128. */
function oidBytes(dotted: string): number[] {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return [first * 40 + second, ...rest.flatMap((part) => base128(part))];
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
