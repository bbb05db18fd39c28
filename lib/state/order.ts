/** Sorts texts by code point, which is also the order of their UTF-8 bytes. */
export function inCodePointOrder(texts: Iterable<string>): readonly string[] {
  const list = [...texts];
  // JavaScript sorts by UTF-16 unit, which gives the same order unless a text has characters beyond the first 65,536.
  return list.some((text) => /[\uD800-\uDFFF]/.test(text)) ? list.sort(byCodePoints) : list.sort();
}

function byCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/**
 * Surrogates encode characters above all others, but their units are lower than E000-FFFF, so those are ranked below
 * them.
 */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
