import { setImmediate } from "node:timers/promises";

/** Counts the steps of a computation over a list that an agent sent, and interrupts it so that the server can handle other requests. */
export interface Work {
  readonly steps: number;
  add(steps: number): void;
  /** Lets the server handle other requests, if many steps were taken since it last did. */
  rest(): Promise<void>;
}

/** The server needs a few milliseconds for this many steps. */
const stepsPerTurn = 5000;

export function createWork(): Work {
  let steps = 0;
  let restsAt = stepsPerTurn;
  return {
    get steps() {
      return steps;
    },
    add: (more) => void (steps += more),
    async rest() {
      if (steps < restsAt) return;
      await setImmediate();
      restsAt = steps + stepsPerTurn;
    },
  };
}
