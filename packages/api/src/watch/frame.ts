import type { EntityJson } from "@cloudwright/contract";
import { formatPosition, type Change } from "@cloudwright/store";
import type { Meaning } from "./audience.ts";

export type FrameType = Change["type"] | "SYNCED" | "BOOKMARK";

/** A message in a watch stream. Each wire format is rendered only once for all watchers. */
export class Frame {
  readonly type: FrameType;
  readonly kind: string;
  readonly resourceVersion: string;
  /** The entity as JSON text. Empty for SYNCED and BOOKMARK. */
  readonly object: string;
  /** False for initial entities, because resuming from one of them would miss the others. */
  readonly resumable: boolean;
  #sse: string | undefined;
  #chunk: Buffer | undefined;

  constructor(type: FrameType, kind: string, resourceVersion: string, object: string, resumable = true) {
    this.type = type;
    this.kind = kind;
    this.resourceVersion = resourceVersion;
    this.object = object;
    this.resumable = resumable;
  }

  /** The frame as a server-sent event. */
  get sse(): string {
    return (this.#sse ??= this.#render());
  }

  /** The frame as a chunk of a chunked HTTP/1.1 body. */
  get chunk(): Buffer {
    return (this.#chunk ??= Buffer.from(`${Buffer.byteLength(this.sse).toString(16)}\r\n${this.sse}\r\n`));
  }

  #render(): string {
    const object = this.object === "" ? "" : `,"object":${this.object}`;
    const data = `{"type":"${this.type}","kind":"${this.kind}","resourceVersion":"${this.resourceVersion}"${object}}`;
    const id = this.resumable ? `id: ${this.resourceVersion}\n` : "";
    return `${id}event: ${this.type}\ndata: ${data}\n\n`;
  }
}

/** The frames for a change, one for each way it can appear to an audience. All watchers share them. */
export class ChangeFrames {
  readonly change: Change;
  readonly #frames = new Map<Meaning, Frame>();

  constructor(change: Change) {
    this.change = change;
  }

  as(meaning: Meaning): Frame {
    let frame = this.#frames.get(meaning);
    if (frame === undefined) {
      const { kind, position, object } = this.change;
      const version = formatPosition(position);
      frame =
        meaning === "LEFT" ? new Frame("DELETED", kind, version, renderLeft(object)) : new Frame(meaning, kind, version, object);
      this.#frames.set(meaning, frame);
    }
    return frame;
  }
}

/** Renders only the identity of an entity, because the watcher is no longer allowed to see its contents. */
function renderLeft(object: string): string {
  const { metadata } = JSON.parse(object) as EntityJson;
  const { project = "", name = "", uid = "" } = metadata;
  return JSON.stringify({ metadata: { project, name, uid }, spec: {}, status: {} });
}
