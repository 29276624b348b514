import type { EntityByKind } from "@cloudwright/api-client";

/** The state of an operation in one word; one whose plan waits for somebody says so, though it counts as running. */
export function operationState({ status }: EntityByKind["Operation"]): string {
  const isAsking =
    status?.steps?.some(({ name, state, message }) => name === "approval" && state === "WAITING" && message) === true;
  return status?.state === "RUNNING" && isAsking ? "NEEDS_APPROVAL" : (status?.state ?? "");
}
