/** Limits how many bytes may be held in memory, per holder and in total. */
export interface ByteBudget {
  /** Starts counting the bytes of one item, such as a request body. */
  open(holder: string): HeldBytes;
  /** Returns the number of bytes currently counted. */
  total(): number;
}

/** The bytes counted for one item. Disposing of this object releases all of them. */
export interface HeldBytes extends Disposable {
  /** Returns the limit that further bytes would exceed, or undefined if they would not exceed any. Does not count them. */
  findExcess(bytes: number): "holder" | "total" | undefined;
  /** Counts more bytes. Callers use `findExcess` first. */
  add(bytes: number): void;
}

export interface ByteLimits {
  readonly perHolder: number;
  readonly total: number;
}

/**
 * Creates a budget. A holder without any other counted bytes is subject only to its own limit, so that others cannot lock it out by filling
 * the budget.
 */
export function createByteBudget(limits: ByteLimits): ByteBudget {
  const holders = new Map<string, number>();
  let total = 0;
  return {
    total: () => total,
    open(holder) {
      let own = 0;
      return {
        findExcess(bytes) {
          const held = holders.get(holder) ?? 0;
          if (held + bytes > limits.perHolder) return "holder";
          return total + bytes > limits.total && held > own ? "total" : undefined;
        },
        add(bytes) {
          own += bytes;
          total += bytes;
          holders.set(holder, (holders.get(holder) ?? 0) + bytes);
        },
        [Symbol.dispose]() {
          const left = (holders.get(holder) ?? 0) - own;
          total -= own;
          own = 0;
          if (left > 0) holders.set(holder, left);
          else holders.delete(holder);
        },
      };
    },
  };
}
