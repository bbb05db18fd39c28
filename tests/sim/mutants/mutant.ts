/** A change of one place in the sources. */
export interface Patch {
  /** Below the package's folder. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A design mistake that somebody could make, as a patch of the sources: the simulation, or else a test, has to notice it. */
export interface Mutant extends Patch {
  readonly name: string;
  /** Which promise it breaks, and how a user would notice. */
  readonly why: string;
  /** Removes a second guard that would hide the mistake. */
  readonly also?: Patch;
  /** Where the states of the seeds are that notice it; on the disk if absent. */
  readonly place?: "database";
  /** The tests that notice it if the simulation cannot: a file, and words of their titles. */
  readonly caughtBy?: { readonly test: string; readonly title: string };
}

/** A mistake without any visible effect, and the proof. */
export interface Equivalent {
  readonly name: string;
  readonly proof: string;
}
