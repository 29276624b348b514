import { createByteBudget, Fault } from "@cloudwright/platform";
import { apiFaults } from "../../faults.ts";

/** Limits the memory for request bodies that are being received or wait to be processed, per caller and in total. */
export interface BodyBudget {
  /** Starts counting the body of one request against the caller's budget. */
  open(caller: string): HeldBody;
  /** Returns the number of bytes currently counted. */
  total(): number;
}

/** The memory used by the body of one request. */
export interface HeldBody extends Disposable {
  /** Counts more bytes. Throws if the total exceeds the limit of the caller or of the server. */
  add(bytes: number): void;
  /** Throws if a body of this size would exceed the limit of the caller or the server. Does not count the body. */
  requireRoom(bytes: number): void;
}

export interface BodyLimits {
  readonly perCaller: number;
  readonly total: number;
}

const mebibyte = 1024 * 1024;
const defaultLimits: BodyLimits = { perCaller: 32 * mebibyte, total: 256 * mebibyte };
const retryAfterMs = 1000;

/** Creates the budget for one server. */
export function createBodyBudget({ perCaller, total }: BodyLimits = defaultLimits): BodyBudget {
  const budget = createByteBudget({ perHolder: perCaller, total });
  return {
    total: () => budget.total(),
    open(caller) {
      const held = budget.open(caller);
      const requireRoom = (bytes: number): void => {
        const excess = held.findExcess(bytes);
        if (excess === undefined) return;
        const [code, message] =
          excess === "holder"
            ? ([apiFaults.bodies_busy, `the caller's requests in progress take more than ${perCaller} bytes`] as const)
            : ([apiFaults.bodies_full, `all requests in progress take more than ${total} bytes`] as const);
        throw new Fault(code, message, { retryAfterMs });
      };
      return {
        requireRoom,
        add(bytes) {
          requireRoom(bytes);
          held.add(bytes);
        },
        [Symbol.dispose]: () => held[Symbol.dispose](),
      };
    },
  };
}
