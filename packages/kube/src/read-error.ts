import { Fault, type FaultDefinition } from "@cloudwright/platform";
import { kubeFaults } from "./faults.ts";

interface Status {
  readonly kind?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  };
}

const byStatus: Readonly<Record<number, FaultDefinition>> = {
  400: kubeFaults.invalid,
  401: kubeFaults.denied,
  403: kubeFaults.denied,
  404: kubeFaults.not_found,
  405: kubeFaults.invalid,
  409: kubeFaults.conflict,
  410: kubeFaults.conflict,
  413: kubeFaults.invalid,
  415: kubeFaults.invalid,
  422: kubeFaults.invalid,
  429: kubeFaults.busy,
};

/** Converts an error response from the API to a fault. `what` describes the request, such as `get Deployment kube-system/coredns`. */
export function readError(what: string, httpStatus: number, body: unknown): Fault {
  const status = (typeof body === "object" && body !== null ? body : {}) as Status;
  const said = status.kind === "Status" && status.message ? status.message : `HTTP ${httpStatus}`;
  const others = httpStatus === 409 ? listOtherManagers(body) : [];
  if (others.length > 0) {
    const fields = others.flatMap(({ field }) => (field === "" ? [] : [field])).join(", ");
    const names = [...new Set(others.map(({ manager }) => `"${manager}"`))].join(", ");
    return new Fault(kubeFaults.owned_by_others, `${what}: ${fields || "a field"} belongs to ${names}`, {
      extra: { managers: [...new Set(others.map(({ manager }) => manager))].join(",") },
    });
  }
  const definition = byStatus[httpStatus] ?? (httpStatus >= 500 ? kubeFaults.unreachable : kubeFaults.bad_answer);
  const fields = (status.details?.causes ?? []).flatMap(({ field, message }) =>
    field === undefined ? [] : [{ field, message: message ?? "" }],
  );
  const seconds = status.details?.retryAfterSeconds;
  return new Fault(definition, `${what}: ${said}`, {
    fields,
    ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }),
  });
}

/** Returns the conflicting fields of a rejected apply, and the managers that own them. */
export function listOtherManagers(body: unknown): { readonly manager: string; readonly field: string }[] {
  const causes = (body as Status | null)?.details?.causes ?? [];
  return causes
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ message = "", field = "" }) => ({ manager: /"(?<name>[^"]*)"/.exec(message)?.groups?.["name"] ?? message, field }));
}
