import { createHash } from "node:crypto";
import { renderCanonicalJson } from "./canonical-json.ts";

/**
 * Returns the key of a task's inputs. Equal inputs give equal keys, regardless of the order of their fields. Counters that request another
 * run are inputs too.
 */
export function taskKey(inputs: unknown): string {
  return createHash("sha256").update(renderCanonicalJson(inputs)).digest("base64url");
}
