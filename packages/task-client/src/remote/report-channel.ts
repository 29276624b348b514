/** Passes values from one writer to one reader, in the order in which they were pushed. */
export interface Channel<Value> extends AsyncIterable<Value> {
  push(value: Value): void;
  /** Ends the channel. The reader still receives the values that were already pushed. */
  end(): void;
}

/** Creates an unbounded channel. The writer must limit the amount of data. */
export function createChannel<Value>(): Channel<Value> {
  const values: Value[] = [];
  let ended = false;
  let wake = (): void => undefined;
  return {
    push(value) {
      if (!ended) values.push(value);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (values.length > 0) yield values.shift() as Value;
        if (ended) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
