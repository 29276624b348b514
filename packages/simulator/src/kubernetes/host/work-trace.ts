/**
 * Records which cluster the host is working for, so that a supervisor can tell which cluster crashed the process. The process itself cannot
 * report this, because it ends immediately when its memory is exhausted.
 */
export interface WorkTrace {
  /** Records the cluster that is being loaded, or undefined afterwards. Clusters are loaded one at a time. */
  setLoading(id: string | undefined): void;
  /** Records the cluster for which synchronous work is running, or undefined afterwards. */
  setRunning(id: string | undefined): void;
}

/** A trace that records nothing, for hosts without a supervisor. */
export const noTrace: WorkTrace = { setLoading: () => undefined, setRunning: () => undefined };

/** Runs synchronous work for a cluster. */
export function runTraced<Result>(trace: WorkTrace, id: string, work: () => Result): Result {
  trace.setRunning(id);
  try {
    return work();
  } finally {
    trace.setRunning(undefined);
  }
}

// Each trace entry has a cost, so short pieces are joined.
const chunkLength = 32 * 1024;

/** Renders the pieces of a list. Many pieces share one trace entry. */
export function* traceText(trace: WorkTrace, id: string, pieces: Iterable<string>): Iterable<string> {
  const iterator = pieces[Symbol.iterator]();
  for (;;) {
    const { text, isDone } = runTraced(trace, id, () => takeText(iterator));
    yield text;
    if (isDone) return;
  }
}

function takeText(iterator: Iterator<string>): { readonly text: string; readonly isDone: boolean } {
  let text = "";
  while (text.length < chunkLength) {
    const next = iterator.next();
    if (next.done === true) return { text, isDone: true };
    text += next.value;
  }
  return { text, isDone: false };
}
