import { createToken } from "@cloudwright/platform";
import type { FastifyInstance } from "fastify";
import type { DocumentGate } from "../document-gate.ts";
import { rejectOtherMethods } from "../rest/reject-methods.ts";

/** The web console's files. They are looked up on each request, because the console may still be building. */
export interface Site {
  /** Renders the page that every console URL returns. The nonce permits styles that the page creates at run time. */
  renderPage(nonce: string): { readonly status: number; readonly html: string };
  /** Returns a file under `/assets`, or undefined if it does not exist. */
  findAsset(name: string): SiteAsset | undefined;
}

/** A file with an optional compressed copy. */
interface SiteAsset {
  readonly content: Buffer;
  readonly gzipped: Buffer | undefined;
  readonly type: string;
  /** True if the file name contains a content hash, so that clients can cache the file forever. */
  readonly lasting: boolean;
}

/** The console's URLs. All other paths belong to the API. */
const pages = ["/", "/sign-in", "/p/*"];

/**
 * Serves the console with a strict content security policy. Scripts and styles are loaded only from this server. Inline styles require
 * the page's nonce, because the component library creates theme rules at run time. Other sites cannot embed the console, and the
 * console cannot call other sites.
 */
export function registerSite(app: FastifyInstance, site: Site, gate: DocumentGate): void {
  for (const url of pages) {
    app.get(url, (request, reply) => {
      const nonce = createToken();
      const { status, html } = site.renderPage(nonce);
      gate.admit(request, reply, html.length);
      return reply
        .code(status)
        .header("content-security-policy", renderPolicy(nonce))
        .header("cache-control", "no-store")
        .header("referrer-policy", "no-referrer")
        .header("x-frame-options", "DENY")
        .type("text/html; charset=utf-8")
        .send(html);
    });
    rejectOtherMethods(app, url, new Set(["GET"]));
  }
  app.get("/assets/*", (request, reply) => {
    const asset = site.findAsset((request.params as { "*": string })["*"]);
    if (asset === undefined) return reply.callNotFound();
    const { content, gzipped, type, lasting } = asset;
    const isPacked = gzipped !== undefined && /\bgzip\b/.test(String(request.headers["accept-encoding"]));
    gate.admit(request, reply, (isPacked ? gzipped : content).length);
    if (isPacked) reply.header("content-encoding", "gzip");
    return reply
      .header("cache-control", lasting ? "public, max-age=31536000, immutable" : "no-cache")
      .header("vary", "accept-encoding")
      .type(type)
      .send(isPacked ? gzipped : content);
  });
  rejectOtherMethods(app, "/assets/*", new Set(["GET"]));
}

function renderPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
