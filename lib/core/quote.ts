/** A text in quotes; in single ones where it holds double ones, because expressions are full of them. */
export function quote(text: string): string {
  const isLegibleSingle = text.includes('"') && !text.includes("'") && !text.includes("\\");
  return isLegibleSingle ? `'${text}'` : JSON.stringify(text);
}
