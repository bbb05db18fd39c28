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
