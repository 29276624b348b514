import { methods, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { createCallerTurns } from "../../calls/caller-turns.ts";
import { bodyOwnerOf } from "../../calls/method-turns.ts";
import { apiFaults } from "../../faults.ts";
import type { BodyBudget, HeldBody } from "../bodies/body-budget.ts";
import { countFields } from "../bodies/count-fields.ts";
import { countValues } from "../../entities/count-values.ts";
import { limitTime } from "../bodies/receive-body.ts";
import { pacedBytes, type Pace } from "../pace.ts";
import { maxBodyBytes, maxBodyValues } from "../rest/body.ts";
import type { ReceivedBody } from "./adapter.ts";
import { toConnectError } from "./errors.ts";
import { responseOf } from "./request-context.ts";
import { callOf } from "./request-gate.ts";
import { listMessages, type SentMessage } from "./sent-messages.ts";

/** Estimated memory per parsed value. It is counted in advance, because Connect parses a message before the call gets its turn. */
const bytesPerValue = 192;
/** Maximum number of messages from one caller that are decompressed at the same time. */
const inflateLimits = { running: 4, waiting: 1000 };
const inflaters = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };
const byPath: ReadonlyMap<string, Method> = new Map(methods.map((method) => [`/${method.id}`, method]));

/**
 * Creates the function that receives the body of an RPC request before Connect parses it. The memory that the body takes once it is
 * decompressed and parsed counts against its caller. A body with too many values is rejected.
 */
export function createMessageReceiver(deps: { readonly bodies: BodyBudget; readonly pace: Pace }) {
  const inflations = createCallerTurns(inflateLimits);

  /** Decompresses a message. Returns undefined if the message is damaged or too large, because Connect reports these errors itself. */
  const inflate = async (owner: string, { data, encoding }: SentMessage): Promise<Uint8Array | undefined> => {
    const decompress = inflaters[encoding as keyof typeof inflaters] as typeof inflaters.gzip | undefined;
    if (decompress === undefined || data.length === 0) return undefined;
    const options = { maxOutputLength: maxBodyBytes };
    return inflations.run(owner, () => decompress(data, options).catch(() => undefined));
  };

  const weigh = async (owner: string, method: Method, sent: SentMessage, held: HeldBody): Promise<number> => {
    const data = sent.encoding === undefined ? sent.data : await inflate(owner, sent);
    if (data === undefined) return 0;
    const values = sent.isJson ? countValues(data, maxBodyValues) : countFields(method.descriptor.input, data, maxBodyValues);
    if (values > maxBodyValues)
      throw new Fault(apiFaults.too_many_values, `the message contains more than ${maxBodyValues} values`);
    held.add(values * bytesPerValue + (sent.encoding === undefined ? 0 : data.length));
    return data.length;
  };

  async function* read(
    method: Method,
    request: UniversalServerRequest,
    held: HeldBody,
    owner: string,
  ): AsyncGenerator<Uint8Array> {
    try {
      const bytes = await collect(request, held);
      let size = 0;
      for (const sent of listMessages(request.header, bytes)) size += await weigh(owner, method, sent, held);
      if (size > pacedBytes) await deps.pace();
      yield bytes;
    } catch (error) {
      throw error instanceof Fault ? toConnectError(error) : error;
    }
  }

  return (path: string, request: UniversalServerRequest): ReceivedBody => {
    const method = byPath.get(path);
    // Health checks and reflection have a small size limit.
    if (method === undefined) return { body: request.body, [Symbol.dispose]: () => undefined };
    let held: HeldBody | undefined;
    const start = (): AsyncGenerator<Uint8Array> => {
      const owner = bodyOwnerOf(callOf(request), method);
      held = deps.bodies.open(owner);
      return read(method, request, held, owner);
    };
    // Connect starts to read once the gate has authenticated the caller.
    return { body: { [Symbol.asyncIterator]: start }, [Symbol.dispose]: () => held?.[Symbol.dispose]() };
  };
}

/** The header of a message in a stream takes five bytes. */
const maxWireBytes = maxBodyBytes + 5;
/** A client that sends more than this many bytes of a refused body is disconnected. */
const maxRefusedBytes = 8 * maxBodyBytes;

/** Receives the whole body and counts its bytes as they arrive. */
async function collect(request: UniversalServerRequest, held: HeldBody): Promise<Uint8Array> {
  // Counted in advance, because Connect allocates the announced size immediately.
  held.add(Number(request.header.get("content-length") ?? 0) || 0);
  const stopClock = limitTime(responseOf(request) ?? {});
  const chunks: Uint8Array[] = [];
  let size = 0;
  let refusal: Error | undefined;
  try {
    for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      refusal ??= refuse(size, chunk, held);
      if (refusal === undefined) chunks.push(chunk);
      // The rest of a rejected body is discarded, so that the client can read the response. If the rest is too large, leaving the loop
      // ends the request.
      else if (size > maxRefusedBytes) break;
    }
  } finally {
    stopClock?.();
  }
  if (refusal !== undefined) throw refusal;
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size);
}

function refuse(size: number, chunk: Uint8Array, held: HeldBody): Error | undefined {
  if (size > maxWireBytes)
    return new ConnectError(`message size is larger than configured readMaxBytes ${maxBodyBytes}`, Code.ResourceExhausted);
  try {
    held.add(chunk.length);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
