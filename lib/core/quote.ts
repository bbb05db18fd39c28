/** Quotes a text; in single quotes if it contains double ones, because expressions are full of them. */
export function quote(text: string): string {
  const isLegibleSingle = text.includes('"') && !text.includes("'") && !text.includes("\\");
  return isLegibleSingle ? `'${text}'` : JSON.stringify(text);
}
