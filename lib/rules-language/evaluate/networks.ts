import type { Address } from "../addresses.ts";

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
