/** A change of one place of the sources. */
export interface Patch {
  /** Below the package's folder. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A design mistake that somebody could make, as a patch of the sources: the simulation has to notice it, or else a test. */
export interface Mutant extends Patch {
  readonly name: string;
  /** Which promise it breaks, and how that would be met in earnest. */
  readonly why: string;
  /** Where a second guard would hide the mistake, the mistake is to have neither. */
  readonly also?: Patch;
  /** The tests that notice it, where the simulation cannot: a file, and the words in their titles. */
  readonly caughtBy?: { readonly test: string; readonly title: string };
}

/** A mistake that changes nothing that anybody could notice, and the proof. */
export interface Equivalent {
  readonly name: string;
  readonly proof: string;
}
