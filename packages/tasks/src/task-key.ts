import { createHash } from "node:crypto";
import { renderCanonicalJson } from "./canonical-json.ts";

/**
 * Returns a hash of a task's inputs, regardless of the order of fields. To run the same work again, callers include a counter in the
 * inputs.
 */
export function taskKey(inputs: unknown): string {
  return createHash("sha256").update(renderCanonicalJson(inputs)).digest("base64url");
}
