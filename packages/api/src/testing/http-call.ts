import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { EntityJson, Json } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";

/** One HTTP request, sent exactly as given: neither path nor body is normalised. */
export interface TestRequest {
  readonly method: string;
  readonly path: string;
  /** API key or token. */
  readonly key?: string | undefined;
  /** JSON. A string or buffer is sent as it is. */
  readonly body?: Json | Buffer | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** All fields that a response can have. Each suite reads those it needs. */
export interface AnswerBody extends EntityJson {
  readonly items: EntityJson[];
  readonly nextPageToken: string;
  readonly resourceVersion: string;
  readonly code: string;
  readonly detail: string;
  readonly fields: FieldViolation[];
}

/** A complete answer. For a stream only its headers. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. An empty object if it is not JSON. */
  readonly body: AnswerBody;
}

/** Sends requests to one server over persistent connections. */
export interface HttpCaller {
  send(input: TestRequest): Promise<TestAnswer>;
  /** Returns the response before its body is read. */
  open(input: TestRequest): Promise<IncomingMessage>;
  close(): void;
}

/** Creates a caller on node:http, because fetch normalises paths that suites want to send unchanged. */
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
