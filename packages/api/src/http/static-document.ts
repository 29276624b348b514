import type { FastifyReply, FastifyRequest } from "fastify";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { DocumentGate } from "./document-gate.ts";

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * Creates a handler for a document that does not change while the server runs. The document is compressed once, and a client that already
 * has it gets 304 Not Modified.
 */
export function createStaticDocument(
  gate: DocumentGate,
  text: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Handler {
  const plain = Buffer.from(text);
  const compressed = gzipSync(plain);
  const hash = createHash("sha256").update(plain).digest("base64url");
  return (request, reply) => {
    const accepted = acceptsGzip(request.headers["accept-encoding"]);
    const isUnchanged = isKnown(request.headers["if-none-match"], hash);
    const content = accepted ? compressed : plain;
    gate.admit(request, reply, isUnchanged ? 0 : content.length);
    const etag = accepted ? `"${hash}-gzip"` : `"${hash}"`;
    void reply.headers({ ...headers, etag, "cache-control": "no-cache", vary: "accept-encoding" });
    if (isUnchanged) return reply.code(304).send();
    if (accepted) void reply.header("content-encoding", "gzip");
    return reply.type(type).send(content);
  };
}

/** Returns whether the client accepts gzip, by name or through `*`, with a quality other than 0. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = String(header ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.split(";").map((part) => part.trim()));
  // Each part was trimmed above. A regular expression that skips white space in several places could take seconds on a header full of
  // white space.
  const known = codings.filter(
    ([name = "", quality = "q=1", ...more]) => /^(gzip|\*)$/.test(name) && /^q=[\d.]+$/.test(quality) && more.length === 0,
  );
  const own = known.find(([name]) => name === "gzip") ?? known[0];
  return own !== undefined && Number((own[1] ?? "q=1").slice("q=".length)) > 0;
}

function isKnown(header: string | undefined, hash: string): boolean {
  return header !== undefined && (header.trim() === "*" || header.includes(`"${hash}"`) || header.includes(`"${hash}-gzip"`));
}
