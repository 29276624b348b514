import type { Socket } from "node:net";

/** Accepts new connections a few at a time, so that a burst of them does not delay requests on other connections. */
export interface ConnectionQueue {
  /** Calls `serve` in a later turn of the event loop. `bytes` is the size of the data that arrived with the connection. */
  add(network: string, socket: Pick<Socket, "destroyed">, bytes: number, serve: () => void): void;
}

interface Waiting {
  readonly socket: Pick<Socket, "destroyed">;
  readonly bytes: number;
  readonly serve: () => void;
}

/**
 * Bytes of requests to parse in one turn of the event loop. Node parses everything that has arrived on a connection at once. 4 KiB can
 * contain about 90 pipelined requests, which take about 2 ms.
 */
const bytesPerTurn = 4096;

/** Creates the queue for one port. If several networks have waiting connections, they are served in turn. */
export function createConnectionQueue(nextTurn: (run: () => void) => void = setImmediate): ConnectionQueue {
  const queues = new Map<string, Waiting[]>();
  let isScheduled = false;
  const takeNext = (): Waiting | undefined => {
    const [entry] = queues;
    if (entry === undefined) return undefined;
    const [network, queue] = entry;
    const next = queue.shift();
    // Moves the network to the end, so that other networks come first.
    queues.delete(network);
    if (queue.length > 0) queues.set(network, queue);
    return next;
  };
  const runTurn = (): void => {
    isScheduled = false;
    for (let bytes = 0; bytes < bytesPerTurn;) {
      const next = takeNext();
      if (next === undefined) return;
      if (next.socket.destroyed) continue;
      bytes += next.bytes;
      next.serve();
    }
    schedule();
  };
  const schedule = (): void => {
    if (isScheduled || queues.size === 0) return;
    isScheduled = true;
    nextTurn(runTurn);
  };
  return {
    add(network, socket, bytes, serve) {
      const queue = queues.get(network) ?? [];
      queues.set(network, queue);
      queue.push({ socket, bytes, serve });
      schedule();
    },
  };
}
