import { trimEnd } from "@cloudwright/platform";
import { shortestNeedle } from "./needle-index.ts";

const shortestPiece = 12;

/** Returns the forms in which a program may print a secret: unchanged, escaped for JSON or a URL, in base64, or split into lines. */
export function listDisguises(secret: string): string[] {
  if (secret.trim().length < shortestNeedle) return [];
  // Terraform wraps long lines at spaces, and the lines of a key may be printed separately.
  const pieces = secret.split(/\s+/).filter((piece) => piece.length >= shortestPiece);
  const forms = [secret, secret.trim(), ...pieces].flatMap((text) => [text, escapeJson(text), escapeJsonAsGo(text)]);
  const coded = [encodeForAddress(secret), trimEnd(Buffer.from(secret).toString("base64"), "=")];
  return [...new Set([...forms, ...coded])].filter((form) => form.length >= shortestNeedle);
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

// Go also escapes these three characters, to make JSON safe in HTML.
function escapeJsonAsGo(text: string): string {
  return escapeJson(text).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
}

function encodeForAddress(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
