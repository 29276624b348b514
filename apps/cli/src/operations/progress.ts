import type { Session } from "../connection/session.ts";
import { isStructured } from "../output/output.ts";
import type { Follower } from "./follow.ts";
import { renderDeed, renderStanding, type Operation, type OperationRef } from "./operation.ts";

export interface Progress extends Follower {
  /** Shows a note below a running operation. */
  tell(operation: Operation, lines: readonly string[]): void;
  /** Stops updating and leaves the final state on the screen. */
  stop(): Promise<void>;
}

/**
 * On a terminal, creates a live display. Otherwise, prints one line per change. If the output format is machine-readable, prints only the
 * actions that the user must take.
 */
export async function createProgress(session: Session, refs: readonly OperationRef[]): Promise<Progress> {
  const { output, world } = session;
  if (output.isQuiet || isStructured(output.format)) return { ...silent, tell: (_, lines) => lines.forEach(output.note) };
  const isLive = world.stderr.isTTY && world.environment["TERM"] !== "dumb";
  if (!isLive) return createLines((text) => output.note(text));
  const { createLiveProgress } = await import("./live-progress.ts");
  return createLiveProgress(world.stderr, refs);
}

const silent = { show: () => undefined, lost: () => undefined, stop: async () => undefined };

function createLines(write: (text: string) => void): Progress {
  const last = new Map<string, string>();
  let isLost = false;
  return {
    show: (operation) => {
      isLost = false;
      const text = `${renderDeed(operation)}: ${renderStanding(operation)}`;
      if (last.get(operation.metadata.uid) === text) return;
      last.set(operation.metadata.uid, text);
      write(text);
    },
    tell: (_, lines) => lines.forEach(write),
    lost: ({ message }) => {
      if (!isLost) write(`connection lost (${message}); reconnecting`);
      isLost = true;
    },
    stop: async () => undefined,
  };
}
