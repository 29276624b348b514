import type { JsonObject } from "@cloudwright/contract";

const most = 100;
const severities: readonly unknown[] = ["must", "should", "may"];
const textFields = ["field", "message", "help", "rule", "code"];

/** Reads preflight findings from a task's result. Entries that do not match the contract are ignored. */
export function readFindings(result: unknown): JsonObject[] {
  const { findings } = (result ?? {}) as { readonly findings?: unknown };
  if (!Array.isArray(findings)) return [];
  return (findings as readonly unknown[]).slice(0, most).flatMap((given) => {
    const said = (given ?? {}) as JsonObject;
    if (typeof said["message"] !== "string" || said["message"] === "") return [];
    const texts = Object.fromEntries(textFields.map((name) => [name, typeof said[name] === "string" ? said[name] : ""]));
    return [{ ...texts, severity: severities.includes(said["severity"]) ? (said["severity"] ?? "must") : "must" }];
  });
}
