/** PEM texts, and words of 20 and more letters and digits that are neither an id nor a hostname. */
export function looksSecret(text: string): boolean {
  if (/-----BEGIN/.test(text)) return true;
  const word = text.trim();
  if (word.length < 20 || !/^[A-Za-z0-9_+/=-]+$/.test(word) || /^[0-9a-f]{32}$/.test(word)) return false;
  return /\d/.test(word) && /[A-Za-z]/.test(word);
}
