// What .ci/collect-words.mjs collects from the sources. `imports` in package.json resolves `#own-words` to both.

/** Every word that the program itself writes, one a line. */
export const ownWords: string;
