import type { Change, Problem } from "../provider/definition.ts";

/** The error code and message with which Azure rejects a call. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** The HTTP status. Default: 400. */
  readonly status?: number;
  /** The attribute that caused the error. */
  readonly path?: readonly (string | number)[];
}

/** A rejected call. The provider describes it as, for example, `creating Kubernetes Cluster`, and the API as `CreateOrUpdate`. */
export interface RejectedCall {
  readonly noun: string;
  readonly operation: Change["operation"];
  readonly id: string;
  /** The name of the API call. Default: `CreateOrUpdate`, or `Delete` for a deletion. */
  readonly call?: string;
}

const gerunds = { create: "creating", update: "updating", delete: "deleting" } as const;
const statusTexts: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  429: "Too Many Requests",
};

/** Renders an error in the real provider's wording, so that tools that parse provider output find the error code. */
export function describeRefusal({ noun, operation, id, call }: RejectedCall, refusal: Refusal): Problem {
  const { code, message, status = 400, path } = refusal;
  const performed = call ?? (operation === "delete" ? "Delete" : "CreateOrUpdate");
  const answer = `unexpected status ${status} (${status} ${statusTexts[status] ?? "Error"}) with error: ${code}: ${message}`;
  return {
    summary: `${gerunds[operation]} ${describeId(noun, id)}: performing ${performed}: ${answer}`,
    ...(path === undefined ? {} : { path }),
    refusal: { code, message, status },
  };
}

/** Renders an ARM id as the provider does, with one component per line: `Subnet (Subscription: "..."`. */
export function describeId(noun: string, id: string): string {
  const parts = id.split("/").filter((part) => part !== "");
  if (parts[0] !== "subscriptions") return `${noun} "${id}"`;
  const group = parts[2] === "resourceGroups" && parts.length > 4 ? [`Resource Group Name: "${parts[3] ?? ""}"`] : [];
  return `${noun} (${[`Subscription: "${parts[1] ?? ""}"`, ...group, `${noun} Name: "${parts.at(-1) ?? ""}"`].join("\n")})`;
}
