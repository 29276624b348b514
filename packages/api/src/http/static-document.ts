import type { FastifyReply, FastifyRequest } from "fastify";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * Creates a handler for a document that does not change while the server runs. The document is compressed once, and a client that already
 * has it gets 304 Not Modified.
 */
export function createStaticDocument(text: string, type: string, headers: Readonly<Record<string, string>> = {}): Handler {
  const plain = Buffer.from(text);
  const compressed = gzipSync(plain);
  const hash = createHash("sha256").update(plain).digest("base64url");
  return (request, reply) => {
    const accepted = acceptsGzip(request.headers["accept-encoding"]);
    const etag = accepted ? `"${hash}-gzip"` : `"${hash}"`;
    void reply.headers({ ...headers, etag, "cache-control": "no-cache", vary: "accept-encoding" });
    if (isKnown(request.headers["if-none-match"], hash)) return reply.code(304).send();
    if (accepted) void reply.header("content-encoding", "gzip");
    return reply.type(type).send(accepted ? compressed : plain);
  };
}

/** Returns whether the client accepts gzip, by name or through `*`, with a quality other than 0. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = String(header ?? "")
    .toLowerCase()
    .split(",");
  const qualities = codings
    .map((coding) => /^\s*(gzip|\*)\s*(?:;\s*q=([\d.]+))?\s*$/.exec(coding))
    .filter((match) => match !== null);
  const own = qualities.find(([, name]) => name === "gzip") ?? qualities[0];
  return own !== undefined && Number(own[2] ?? "1") > 0;
}

function isKnown(header: string | undefined, hash: string): boolean {
  return header !== undefined && (header.trim() === "*" || header.includes(`"${hash}"`) || header.includes(`"${hash}-gzip"`));
}
