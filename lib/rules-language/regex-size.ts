/** How large a part of a regular expression is: how many states it compiles to, about, and how deep it is nested. */
export interface Size {
  readonly states: number;
  readonly depth: number;
}

/** The size of a group, from its parts one after the other. */
export class GroupSize {
  /** Whether something stands here that can be repeated. */
  canRepeat = false;
  #parts = 0;
  #last: Size = NOTHING;
  /** Everything in front of the last part: in the same branch, and in the branches before. */
  #branch: Size = NOTHING;
  #branches: Size = NOTHING;
  #isChoice = false;

  /** Adds a part, such as a character or a group. */
  add(part: Size): void {
    this.addFlags();
    this.#last = part;
    this.canRepeat = true;
  }

  /** Adds `(?i)`, which is a part that cannot be repeated. */
  addFlags(): void {
    this.#branch = together(this.#branch, this.#last);
    this.#last = NOTHING;
    this.#parts += 1;
    this.canRepeat = false;
  }

  /** Repeats the last part. */
  repeat(times: number): void {
    this.#last = { states: (this.#last.states + 1) * times, depth: this.#last.depth + 1 };
  }

  /** Ends a branch of a choice. */
  choose(): void {
    this.#endBranch();
    this.#isChoice = true;
  }

  /** The size of everything so far. */
  whole(): Size {
    this.#endBranch();
    return { states: this.#branches.states, depth: this.#branches.depth + (this.#isChoice ? 1 : 0) };
  }

  #endBranch(): void {
    const { states, depth } = together(this.#branch, this.#last);
    this.#branches = together(this.#branches, { states, depth: depth + (this.#parts > 1 ? 1 : 0) });
    this.#branch = NOTHING;
    this.#last = NOTHING;
    this.#parts = 0;
    this.canRepeat = false;
  }
}

const NOTHING: Size = { states: 0, depth: 0 };

function together(one: Size, other: Size): Size {
  return { states: one.states + other.states, depth: Math.max(one.depth, other.depth) };
}
