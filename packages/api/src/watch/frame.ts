import type { Change } from "@cloudwright/store";
import { formatPosition } from "@cloudwright/store";

export type FrameType = Change["type"] | "SYNCED" | "BOOKMARK";

/** One message of a watch stream. Its text form is rendered once, however many watchers get it. */
export class Frame {
  readonly type: FrameType;
  readonly kind: string;
  readonly resourceVersion: string;
  /** JSON text of the entity; empty for SYNCED and BOOKMARK. */
  readonly object: string;
  /** False for what existed already: resuming after it would miss the rest of what exists. */
  readonly resumable: boolean;
  #sse: string | undefined;

  constructor(type: FrameType, kind: string, resourceVersion: string, object: string, resumable = true) {
    this.type = type;
    this.kind = kind;
    this.resourceVersion = resourceVersion;
    this.object = object;
    this.resumable = resumable;
  }

  /** As a server-sent event. */
  get sse(): string {
    return (this.#sse ??= this.#render());
  }

  #render(): string {
    const object = this.object === "" ? "" : `,"object":${this.object}`;
    const data = `{"type":"${this.type}","kind":"${this.kind}","resourceVersion":"${this.resourceVersion}"${object}}`;
    const id = this.resumable ? `id: ${this.resourceVersion}\n` : "";
    return `${id}event: ${this.type}\ndata: ${data}\n\n`;
  }
}

/** The frames a change can become: as it was, or as coming into or leaving a label selector. Shared by all watchers. */
export class ChangeFrames {
  readonly change: Change;
  readonly #frames = new Map<FrameType, Frame>();

  constructor(change: Change) {
    this.change = change;
  }

  as(type: Change["type"]): Frame {
    let frame = this.#frames.get(type);
    if (frame === undefined) {
      frame = new Frame(type, this.change.kind, formatPosition(this.change.position), this.change.object);
      this.#frames.set(type, frame);
    }
    return frame;
  }
}
