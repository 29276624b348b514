import type { Json } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { FastifyInstance } from "fastify";
import { apiFaults } from "../../faults.ts";
import { isDeeperThan } from "../../json-tree.ts";

/** Bodies are at most this large. */
export const maxBodyBytes = 1024 * 1024;
const maxDepth = 64;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Makes the app read JSON bodies strictly: valid UTF-8, one value, bounded depth; anything else is refused by name. */
export function registerBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const types = ["application/json", "application/merge-patch+json"];
  app.addContentTypeParser(types, { parseAs: "buffer", bodyLimit: maxBodyBytes }, (_request, body, done) => {
    try {
      done(null, parseBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseBody(body: Buffer): Json | undefined {
  if (body.length === 0) return undefined;
  let json: Json;
  try {
    json = JSON.parse(decoder.decode(body)) as Json;
  } catch (error) {
    const where = error instanceof SyntaxError ? error.message : "it is not UTF-8";
    throw new Fault(apiFaults.bad_json, `the body is not JSON: ${where}`, { cause: error });
  }
  if (isDeeperThan(json, maxDepth)) throw new Fault(apiFaults.bad_json, `the body is nested deeper than ${maxDepth} levels`);
  return json;
}
