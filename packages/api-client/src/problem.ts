import { Fault, type FaultKind, type FaultRetry, type FieldViolation } from "@cloudwright/platform/fault";
import { clientFaults } from "./faults.ts";

/** A problem response (RFC 9457) as returned by this API. */
export interface Problem {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly status?: number;
  readonly help?: string;
  readonly retry?: FaultRetry;
  readonly requestId?: string;
  readonly fields?: readonly FieldViolation[];
  readonly [extension: string]: unknown;
}

const kindByStatus: Readonly<Record<number, FaultKind>> = {
  401: "unauthenticated",
  403: "denied",
  404: "not_found",
  408: "unavailable",
  409: "conflict",
  423: "conflict",
  410: "gone",
  412: "conflict",
  429: "exhausted",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

const told = new Set(["type", "title", "status", "detail", "code", "help", "retry", "fields", "instance"]);

/** Converts a problem into a fault. The fault's `extra` contains the status, the request id and any other members of the problem. */
export function toFault(problem: Problem, status: number, retryAfterMs?: number): Fault {
  const kind = kindByStatus[status] ?? (status < 500 ? "invalid" : "internal");
  const scalars = Object.entries(problem).filter(
    (entry): entry is [string, string | number | boolean] => !told.has(entry[0]) && isScalar(entry[1]),
  );
  return new Fault(
    {
      code: problem.code ?? clientFaults.bad_answer.code,
      kind,
      retry: problem.retry ?? (kind === "unavailable" || kind === "exhausted" ? "backoff" : "never"),
      when: problem.title ?? "",
      help: problem.help ?? "",
    },
    problem.detail ?? problem.title ?? `the server responded with status ${status}`,
    {
      fields: problem.fields ?? [],
      extra: { ...Object.fromEntries(scalars), status },
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  );
}

/** Converts an unsuccessful response into a fault. */
export async function readProblem(response: Response): Promise<Fault> {
  const text = await response.text().catch(() => "");
  return toFault(parseProblem(text, response), response.status, readRetryAfter(response.headers.get("retry-after")));
}

function parseProblem(text: string, response: Response): Problem {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "code" in value) return value as Problem;
  } catch {
    // The body is not a problem from this API. It may be a proxy's error page, for example, so only the status is known.
  }
  return {
    detail: `the server responded with status ${response.status} ${response.statusText}`.trimEnd(),
    help: clientFaults.bad_answer.help,
  };
}

function readRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) * 1000 : undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
