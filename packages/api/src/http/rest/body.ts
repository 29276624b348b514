import type { Json } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { FastifyInstance } from "fastify";
import { apiFaults } from "../../faults.ts";
import { pacedBytes, type Pace } from "../pace.ts";
import { isDeeperThan } from "../../entities/json-tree.ts";

/** Size limit for request bodies. */
export const maxBodyBytes = 1024 * 1024;
const maxDepth = 64;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Makes the app parse JSON bodies strictly: valid UTF-8, a single value and limited nesting. */
export function registerBodyParsers(app: FastifyInstance, pace: Pace): void {
  app.removeAllContentTypeParsers();
  const types = ["application/json", "application/merge-patch+json"];
  const parse = (body: Buffer, done: (error: Error | null, json?: unknown) => void): void => {
    try {
      done(null, parseBody(body));
    } catch (error) {
      done(error as Error);
    }
  };
  app.addContentTypeParser(types, { parseAs: "buffer", bodyLimit: maxBodyBytes }, (_request, body, done) => {
    if (body.length <= pacedBytes) parse(body as Buffer, done);
    else void pace().then(() => parse(body as Buffer, done));
  });
}

function parseBody(body: Buffer): Json | undefined {
  if (body.length === 0) return undefined;
  let json: Json;
  try {
    json = JSON.parse(decoder.decode(body)) as Json;
  } catch (error) {
    throw new Fault(apiFaults.bad_json, `the body is not JSON: ${describePlace(error)}`);
  }
  if (isDeeperThan(json, maxDepth)) throw new Fault(apiFaults.bad_json, `the body is nested deeper than ${maxDepth} levels`);
  return json;
}

/** Describes where the JSON is malformed. The parser's own message quotes the body, which may contain a secret. */
function describePlace(error: unknown): string {
  if (!(error instanceof SyntaxError)) return "it is not UTF-8";
  return /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0] ?? "it cannot be parsed";
}
