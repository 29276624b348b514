import type { StateRun } from "@cloudwright/store";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gatekeeper } from "../../calls/gatekeeper.ts";
import type { ApiDeps } from "../../deps.ts";
import type { UploadTurns } from "../../documents/upload-turns.ts";
import { isGone } from "../delivery.ts";

/** The dependencies of the routes that accept uploads. */
export interface UploadDeps extends ApiDeps {
  readonly gatekeeper: Pick<Gatekeeper, "lookUpRun" | "isIssuedRun">;
  /** Limits large uploads. */
  readonly uploads: UploadTurns;
  readonly smallUploads: UploadTurns;
}

/** Uploads up to this size have separate limits, so that large uploads do not delay them. Almost all states are smaller. */
const largeBytes = 1024 * 1024;

interface Turn {
  readonly end: () => void;
  isHandled: boolean;
}

const turns = new WeakMap<FastifyRequest, Turn>();

/** Waits until an upload may start. If the request ends before its handler starts, its turn ends too. */
export async function awaitUpload(
  deps: Pick<UploadDeps, "uploads" | "smallUploads">,
  request: FastifyRequest,
  reply: FastifyReply,
  { state, agentUid }: StateRun,
): Promise<void> {
  // A body of unknown length is treated as large.
  const length = Number(request.headers["content-length"] ?? Infinity);
  const uploads = length <= largeBytes ? deps.smallUploads : deps.uploads;
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  reply.raw.once("close", leave);
  if (isGone(reply.raw)) leave();
  const end = await uploads.take({ project: state.project, agent: agentUid }, gone.signal);
  reply.raw.off("close", leave);
  const turn: Turn = { end, isHandled: false };
  turns.set(request, turn);
  if (isGone(reply.raw)) return turn.end();
  // Prevents a client from holding a turn without sending data. Node enforces request timeouts only for HTTP/1.1.
  const timer = setTimeout(() => abort(request), uploads.receiveMs);
  request.raw.once("end", () => clearTimeout(timer));
  reply.raw.once("close", () => {
    clearTimeout(timer);
    if (!turn.isHandled) turn.end();
  });
}

/** Aborts an upload. Over HTTP/1.1, resets the connection, because the peer could otherwise keep it half open. */
function abort({ raw }: FastifyRequest): void {
  const { stream } = raw as { readonly stream?: { close(): void } };
  if (stream === undefined) raw.socket.resetAndDestroy();
  else stream.close();
}

/**
 * Keeps the turn until the returned value is disposed of, even if the client disconnects, because the server still processes the upload.
 */
export function continueUpload(request: FastifyRequest): Disposable {
  const turn = turns.get(request);
  if (turn !== undefined) turn.isHandled = true;
  return { [Symbol.dispose]: () => turn?.end() };
}
