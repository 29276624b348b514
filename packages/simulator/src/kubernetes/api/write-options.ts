import type { ResourceCall } from "./call.ts";
import { StatusError } from "./status-error.ts";
import type { Manager } from "../merge/managed-fields.ts";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  readonly force: boolean;
  readonly manager: Manager;
}

/** Reads `dryRun`, `fieldValidation`, `fieldManager` and `force` from the query. */
export function readWriteOptions(call: ResourceCall, operation: "Apply" | "Update" = "Update"): WriteOptions {
  const dryRun = call.query.getAll("dryRun").filter((value) => value !== "");
  if (dryRun.some((value) => value !== "All")) throw invalidOption("dryRun", dryRun[0], '"All"');
  const validation = call.query.get("fieldValidation") ?? "Warn";
  if (validation !== "Strict" && validation !== "Warn" && validation !== "Ignore" && validation !== "") {
    throw invalidOption("fieldValidation", validation, '"Ignore", "Strict", "Warn"');
  }
  const named = call.query.get("fieldManager") ?? "";
  if (operation === "Apply" && named === "") {
    const message = "Required value: is required for apply patch";
    const causes = [{ reason: "FieldValueRequired", message, field: "fieldManager" }];
    throw new StatusError(422, "Invalid", `PatchOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`, { causes });
  }
  const agent = (call.headers["user-agent"] ?? "unknown").split("/")[0] ?? "";
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: validation === "" ? "Warn" : validation,
    force: call.query.get("force") === "true",
    manager: {
      name: named === "" ? agent.slice(0, 128) : named,
      operation,
      nowMs: call.cluster.clock.now(),
      ...(call.subresource !== "" && { subresource: call.subresource }),
    },
  };
}

function invalidOption(field: string, value: string | undefined, supported: string): StatusError {
  const message = `${field}: Unsupported value: "${value}": supported values: ${supported}`;
  return new StatusError(422, "Invalid", ` "" is invalid: ${message}`, {
    causes: [{ reason: "FieldValueNotSupported", message, field }],
  });
}
