import type { EntityByKind } from "@cloudwright/api-client";

/** Returns the state to display for an operation. "Needs approval" takes precedence over RUNNING. */
export function operationState({ status }: EntityByKind["Operation"]): string {
  const isAsking =
    status?.steps?.some(({ name, state, message }) => name === "approval" && state === "WAITING" && message) === true;
  return status?.state === "RUNNING" && isAsking ? "NEEDS_APPROVAL" : (status?.state ?? "");
}
