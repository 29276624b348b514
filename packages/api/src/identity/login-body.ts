import type { FastifyInstance } from "fastify";
import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

const maxBodyBytes = 4096;
const maxKeyLength = 512;
const maxTokenLength = 2048;

/**
 * Configures a Fastify scope to accept only JSON. HTML forms on other sites can send text and form data, but not JSON. Therefore, no other
 * site can sign a browser in as a different user.
 */
export function acceptJsonOnly(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit: maxBodyBytes }, (_request, body, done) => {
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  scope.addContentTypeParser("*", (_request, _payload, done) => {
    done(new Fault(apiFaults.unsupported_media, "the body's Content-Type is not application/json"));
  });
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    // Quote neither the body nor the parser's message, because both may contain a key.
    throw new Fault(apiFaults.bad_json, "the body is not JSON in UTF-8");
  }
}

/** The credential that a user signs in with: an API key or the token of a sign-in link. */
export type LoginProof = { readonly key: string } | { readonly token: string };

/** Reads the body of a login request. It must be exactly `{"key": "..."}` or `{"token": "..."}`. */
export function readLogin(body: unknown): LoginProof {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalid("", "must be an object with the field `key`");
  for (const name of Object.keys(body)) {
    if (name !== "key" && name !== "token") throw invalid(name.slice(0, 64), "is not a login field; use key or token");
  }
  if ("token" in body) {
    if ("key" in body) throw invalid("token", "cannot be combined with a key");
    return { token: readText("token", body.token, "the token of a sign-in link", maxTokenLength) };
  }
  return { key: readText("key", "key" in body ? body.key : undefined, "an API key", maxKeyLength) };
}

function readText(field: string, value: unknown, what: string, most: number): string {
  if (typeof value !== "string" || value === "") throw invalid(field, `must be ${what}`);
  if (value.length > most) throw invalid(field, `must have at most ${most} characters`);
  return value;
}

function invalid(field: string, message: string): Fault {
  return new Fault(apiFaults.invalid, `${field === "" ? "the body" : field} ${message}`, { fields: [{ field, message }] });
}
