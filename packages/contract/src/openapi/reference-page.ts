import type { JsonObject } from "../entities.ts";
export function renderReferencePage(openapi: JsonObject): string {
  return String(openapi);
}
