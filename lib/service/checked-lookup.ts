import { isForbiddenAddress, isLoopbackAddress } from "./address.ts";
import { HttpFailure } from "./http.ts";

/** An address as the system's look-up gives it. */
export interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

type Answer = (failure: NodeJS.ErrnoException | null, found: string | FoundAddress[], family?: number) => void;

/** How Node looks a name up when it connects: one address, or all of them. */
export type Lookup = (name: string, options: { all?: boolean | undefined }, answer: Answer) => void;

/** Which addresses a connection may go to: with TLS, any that is not forbidden; without, this machine alone. */
export function mayConnect(address: string, isEncrypted: boolean): boolean {
  return isEncrypted ? !isForbiddenAddress(address) : isLoopbackAddress(address);
}

/** That a connection is not made, because of where it would go. Nothing was sent. */
export function forbidden(name: string): HttpFailure {
  const message = `${name} leads to an address that no token is sent to`;
  return new HttpFailure(message, false, { reason: "forbidden" });
}

/**
 * A look-up that gives only addresses that may be connected to. The connection is made to what this gives, and the name is
 * not looked up a second time: one that answers differently then (rebinding) gains nothing.
 */
export function checkedLookup(lookup: Lookup, isEncrypted: boolean): Lookup {
  return (name, options, answer) => {
    lookup(name, { ...options, all: true }, (failure, found) => {
      if (failure !== null || typeof found === "string") return answer(failure ?? forbidden(name), []);
      const allowed = found.filter(({ address }) => mayConnect(address, isEncrypted));
      const [first] = allowed;
      if (first === undefined) return answer(forbidden(name), []);
      return options.all === true ? answer(null, allowed) : answer(null, first.address, first.family);
    });
  };
}
