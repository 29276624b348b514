import { shortestNeedle } from "./needle-index.ts";

const shortestPiece = 12;

/** The forms in which a program may print a secret: as it is, escaped for JSON or an address, in base64, or broken into lines. */
export function listDisguises(secret: string): string[] {
  if (secret.trim().length < shortestNeedle) return [];
  // Long texts are wrapped at spaces, and a key of several lines may be printed one by one.
  const pieces = secret.split(/\s+/).filter((piece) => piece.length >= shortestPiece);
  const forms = [secret, secret.trim(), ...pieces].flatMap((text) => [text, escapeJson(text), escapeJsonAsGo(text)]);
  const coded = [encodeForAddress(secret), Buffer.from(secret).toString("base64").replace(/=+$/, "")];
  return [...new Set([...forms, ...coded])].filter((form) => form.length >= shortestNeedle);
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

// Go writes these three so that JSON may stand in HTML.
function escapeJsonAsGo(text: string): string {
  return escapeJson(text).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
}

function encodeForAddress(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
