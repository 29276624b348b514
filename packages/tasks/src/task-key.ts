import { createHash } from "node:crypto";
import { renderCanonicalJson } from "./canonical-json.ts";

/** The key of a task's inputs: equal inputs give equal keys, whatever the order of their fields. Counters that ask for another run are inputs too. */
export function taskKey(inputs: unknown): string {
  return createHash("sha256").update(renderCanonicalJson(inputs)).digest("base64url");
}
