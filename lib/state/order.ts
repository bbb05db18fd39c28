/** Texts in the order of their code points, which is also the order of their bytes in UTF-8. */
export function inCodePointOrder(texts: Iterable<string>): readonly string[] {
  const list = [...texts];
  // JavaScript orders by UTF-16 units, which is the same thing unless a text reaches beyond the first 65,536 characters.
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

/** Surrogates stand for characters above all others, but their units do not: E000-FFFF come before them here. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
