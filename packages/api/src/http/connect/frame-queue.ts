import type { Fault } from "@cloudwright/platform";
import type { Frame } from "../../watch/frame.ts";
import type { Sink } from "../../watch/hub.ts";

const maxFrames = 10_000;

/**
 * Creates a queue between the hub, which pushes frames, and a stream, which pulls them. A reader that falls too far behind counts as
 * slow.
 */
export function createFrameQueue(): { readonly sink: Sink; readonly frames: AsyncIterable<Frame> } {
  const waiting: Frame[] = [];
  // Number of unread frames. The initial entities are not counted, because they arrive all at once.
  let behind = 0;
  let ended: { fault: Fault | undefined } | undefined;
  let wake: (() => void) | undefined;

  async function* read(): AsyncGenerator<Frame> {
    for (;;) {
      const frame = waiting.shift();
      if (frame !== undefined) {
        if (frame.resumable) behind -= 1;
        yield frame;
      } else if (ended !== undefined) {
        if (ended.fault !== undefined) throw ended.fault;
        return;
      } else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    frames: read(),
    sink: {
      send(frames) {
        for (const frame of frames) waiting.push(frame);
        behind += frames.filter(({ resumable }) => resumable).length;
        wake?.();
      },
      fill: () => waiting.length / maxFrames,
      isSlow: () => behind > maxFrames,
      end(fault) {
        ended ??= { fault };
        wake?.();
      },
    },
  };
}
