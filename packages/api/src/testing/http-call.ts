import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { EntityJson, Json } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";

/** An HTTP request that is sent exactly as given. Neither the path nor the body is normalised. */
export interface TestRequest {
  readonly method: string;
  readonly path: string;
  /** An API key or a token. */
  readonly key?: string | undefined;
  /** The JSON body. Strings and buffers are sent unchanged. */
  readonly body?: Json | Buffer | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The fields that response bodies can contain. Each test reads only the ones it needs. */
export interface AnswerBody extends EntityJson {
  readonly items: EntityJson[];
  readonly nextPageToken: string;
  readonly resourceVersion: string;
  readonly code: string;
  readonly detail: string;
  readonly fields: FieldViolation[];
}

/** An HTTP response. For a stream, only the headers are set. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed JSON body, or an empty object if the body is not JSON. */
  readonly body: AnswerBody;
}

/** Sends requests to one server over persistent connections. */
export interface HttpCaller {
  send(input: TestRequest): Promise<TestAnswer>;
  /** Returns the response before its body has been read. */
  open(input: TestRequest): Promise<IncomingMessage>;
  close(): void;
}

/** Creates a caller based on node:http, because fetch normalises paths. */
export function createHttpCaller(address: { readonly host: string; readonly port: number }): HttpCaller {
  const agent = new Agent({ keepAlive: true });
  const open = (input: TestRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const body = renderBody(input.body);
      const { "transfer-encoding": encoding } = input.headers ?? {};
      const headers = {
        ...(input.key === undefined ? {} : { authorization: `Bearer ${input.key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(body === undefined || encoding !== undefined ? {} : { "content-length": String(body.length) }),
        ...input.headers,
      };
      const sent = request({ ...address, agent, method: input.method, path: input.path, headers }, resolve);
      sent.on("error", reject);
      sent.end(body);
    });
  return {
    open,
    send: async (input) => readAnswer(await open(input)),
    close: () => agent.destroy(),
  };
}

function renderBody(body: TestRequest["body"]): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

async function readAnswer(response: IncomingMessage): Promise<TestAnswer> {
  const { statusCode: status = 0, headers } = response;
  if (headers["content-type"]?.startsWith("text/event-stream") === true) {
    response.destroy();
    return { status, headers, text: "", body: {} as AnswerBody };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const isJson = headers["content-type"]?.includes("json") === true && text !== "";
  return { status, headers, text, body: (isJson ? JSON.parse(text) : {}) as AnswerBody };
}
