/** An IP address as a number of 32 or 128 bits. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** Reads an IP address as the service does: no leading zeros, no zone. Undefined if the text is none. */
export function readAddress(text: string): Address | undefined {
  if (!text.includes(":")) {
    const value = readVersion4(text);
    return value === undefined ? undefined : { bits: 32, value };
  }
  const value = readVersion6(text);
  return value === undefined ? undefined : { bits: 128, value };
}

const OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const VERSION_4 = new RegExp(`^${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}$`);

function readVersion4(text: string): bigint | undefined {
  const octets = VERSION_4.exec(text)?.slice(1);
  return octets?.reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

const GROUP = /^[0-9A-Fa-f]{1,4}$/;

function readVersion6(text: string): bigint | undefined {
  const [left, right, ...more] = text.split("::");
  if (left === undefined || more.length > 0) return undefined;
  const head = groupsOf(left, right === undefined);
  const tail = groupsOf(right ?? "", true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  // `::` stands for at least one group of zeros.
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0n), ...tail].reduce(
    (value, group) => (value << 16n) | group,
    0n,
  );
}

/** The groups of 16 bits on one side of `::`. The last two may be written as an IPv4 address. */
function groupsOf(text: string, isLast: boolean): readonly bigint[] | undefined {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const embedded = isLast && index === parts.length - 1 ? readVersion4(part) : undefined;
    if (embedded !== undefined) groups.push(embedded >> 16n, embedded & 0xffffn);
    else if (GROUP.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

/** The first and the last number of the network of an address whose first `length` bits are fixed. */
export function networkOf({ bits, value }: Address, length: number): readonly [bigint, bigint] {
  const free = BigInt(bits - length);
  const first = (value >> free) << free;
  return [first, first + (1n << free) - 1n];
}

/** An address as text, in the form of RFC 5952: lower case, with the longest row of zeros as `::`. */
export function formatAddress({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const text = groups.join(":");
  const zeros = text.match(/\b0(?::0)+\b/g)?.reduce((longest, row) => (row.length > longest.length ? row : longest));
  return zeros === undefined ? text : text.replace(new RegExp(`:?\\b${zeros}\\b:?`), "::");
}
