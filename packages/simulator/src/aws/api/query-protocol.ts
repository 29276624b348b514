import type { ApiAnswer, ApiReply } from "../../api/api-service.ts";
import type { ApiRefusal } from "../../provider/definition.ts";
import { completeRefusal } from "./errors.ts";

/** The parameters of a query request: strings, lists and objects. */
export type QueryValue = string | readonly QueryValue[] | QueryMap;

export interface QueryMap {
  readonly [name: string]: QueryValue;
}

/**
 * Parses the body of a query request. `Filter.1.Value.2=x` becomes a list within a list of objects. `member` segments are ignored. Names
 * are at most eight levels deep.
 */
export function parseQuery(form: URLSearchParams): QueryMap {
  const root: Tree = new Map();
  for (const [name, value] of form) {
    const path = name.split(".").filter((part) => part !== "member");
    if (path.length > 8) continue;
    let at = root;
    for (const part of path.slice(0, -1)) {
      const inner = at.get(part);
      const next: Tree = inner instanceof Map ? inner : new Map();
      at.set(part, next);
      at = next;
    }
    at.set(path.at(-1) ?? "", value);
  }
  return toMap(root);
}

type Tree = Map<string, string | Tree>;

function toValue(tree: string | Tree): QueryValue {
  if (typeof tree === "string") return tree;
  const keys = [...tree.keys()];
  if (keys.length === 0 || !keys.every((key) => /^\d{1,5}$/.test(key))) return toMap(tree);
  return keys.toSorted((a, b) => Number(a) - Number(b)).map((key) => toValue(tree.get(key) ?? ""));
}

function toMap(tree: Tree): QueryMap {
  return Object.fromEntries([...tree].map(([key, value]) => [key, toValue(value)]));
}

const namespaces: Readonly<Record<string, string>> = {
  ec2: "http://ec2.amazonaws.com/doc/2016-11-15/",
  iam: "https://iam.amazonaws.com/doc/2010-05-08/",
  sts: "https://sts.amazonaws.com/doc/2011-06-15/",
};

/** Renders the response of a query operation. EC2 puts the content into the root element. Other services put it into a result element. */
export function renderQueryAnswer(
  service: string,
  action: string,
  { status = 200, content }: ApiAnswer,
  requestId: string,
): ApiReply {
  const namespace = namespaces[service] ?? "";
  const inner =
    service === "ec2"
      ? `<requestId>${requestId}</requestId>${renderContent(content, "item")}`
      : `<${action}Result>${renderContent(content, "member")}</${action}Result><ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
  return toReply(service, status, `<${action}Response xmlns="${namespace}">${inner}</${action}Response>`, requestId);
}

/** Renders an error from a query service. */
export function renderQueryError(service: string, refusal: ApiRefusal, requestId: string): ApiReply {
  const { code, message, status } = completeRefusal(refusal, service === "ec2" ? "ec2" : "query");
  const error = `<Code>${escape(code)}</Code><Message>${escape(message)}</Message>`;
  const fault = status >= 500 ? "Receiver" : "Sender";
  const body =
    service === "ec2"
      ? `<Response><Errors><Error>${error}</Error></Errors><RequestID>${requestId}</RequestID></Response>`
      : `<ErrorResponse xmlns="${namespaces[service] ?? ""}"><Error><Type>${fault}</Type>${error}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`;
  return toReply(service, status, body, requestId);
}

function toReply(service: string, status: number, body: string, requestId: string): ApiReply {
  const headers = {
    "content-type": service === "ec2" ? "text/xml;charset=UTF-8" : "text/xml",
    [service === "ec2" ? "x-amz-request-id" : "x-amzn-requestid"]: requestId,
  };
  return { status, headers, body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}` };
}

/** Renders a value as XML. Fields without a value are omitted. Elements of lists are named `item` or `member`. */
function renderContent(value: unknown, element: string): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map((each) => `<${element}>${renderContent(each, element)}</${element}>`).join("");
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object") {
    return Object.entries(value)
      .filter(([, inner]) => inner !== undefined && inner !== null)
      .map(([name, inner]) => `<${name}>${renderContent(inner, element)}</${name}>`)
      .join("");
  }
  return escape(`${value as string | number | boolean}`);
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

// Control characters cannot occur in XML, not even escaped.
const special = /[&<>"'\ufffe\uffff]|(?![\t\n\r])\p{Cc}/gu;

function escape(text: string): string {
  return text.replaceAll(special, (char) => entities[char] ?? (char < " " || char > "\u{9f}" ? "?" : char));
}
