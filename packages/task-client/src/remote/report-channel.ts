/** Values from one side to one reader on the other, in order. */
export interface Channel<Value> extends AsyncIterable<Value> {
  push(value: Value): void;
  /** What was pushed is still read; nothing comes after it. */
  end(): void;
}

/** A channel without a limit: what goes through it is bounded by who pushes. */
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
