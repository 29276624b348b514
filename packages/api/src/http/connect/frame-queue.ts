import type { Fault } from "@cloudwright/platform";
import type { Frame } from "../../watch/frame.ts";
import type { Sink } from "../../watch/hub.ts";

const maxFrames = 10_000;
/** Limit for unread data, the same as for server-sent events. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Creates a queue between the hub, which pushes frames, and a stream, which pulls them. A reader that falls too far behind is considered
 * slow. `onEnd` is called once the stream will receive no more frames.
 */
export function createFrameQueue(onEnd: () => void = () => undefined): {
  readonly sink: Sink;
  readonly frames: AsyncIterable<Frame>;
} {
  const waiting: Frame[] = [];
  // Number of unread frames. The initial entities are not counted, because they arrive all at once.
  let behind = 0;
  let behindBytes = 0;
  // Size of all unread frames, including the initial entities.
  let bytes = 0;
  let ended: { fault: Fault | undefined } | undefined;
  let wake: (() => void) | undefined;

  const count = ({ object, resumable }: Frame, factor: 1 | -1): void => {
    bytes += factor * object.length;
    if (!resumable) return;
    behind += factor;
    behindBytes += factor * object.length;
  };
  async function* read(): AsyncGenerator<Frame> {
    for (;;) {
      const frame = waiting.shift();
      if (frame !== undefined) {
        count(frame, -1);
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
        for (const frame of frames) {
          waiting.push(frame);
          count(frame, 1);
        }
        wake?.();
      },
      fill: () => Math.max(waiting.length / maxFrames, bytes / maxBytes),
      isSlow: () => behind > maxFrames || behindBytes > maxBytes,
      end(fault) {
        if (ended !== undefined) return;
        ended = { fault };
        onEnd();
        wake?.();
      },
    },
  };
}
