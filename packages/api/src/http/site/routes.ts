import { createToken } from "@cloudwright/platform";
import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "../rest/refuse-methods.ts";

/** The files of a web console. They are asked for at each request, since they may still be being built. */
export interface Site {
  /** The page that every address of the console answers; the nonce goes to the styles it may make by itself. */
  renderPage(nonce: string): { readonly status: number; readonly html: string };
  /** A file below `/assets`, whose name says what is in it; undefined when there is none. */
  findAsset(name: string): SiteAsset | undefined;
}

/** One file, also compressed where that pays. */
interface SiteAsset {
  readonly content: Buffer;
  readonly gzipped: Buffer | undefined;
  readonly type: string;
  /** There will never be anything else under this name. */
  readonly lasting: boolean;
}

/** The addresses that the console has of its own; everything else stays the API's, with its own answers to what is not there. */
const pages = ["/", "/sign-in", "/p/*"];

/**
 * Serves the console. Scripts come from here alone, and so do styles but for those that carry the page's nonce: the component library makes
 * rules for the theme at run time. Nobody may frame it, and it may call nobody else.
 */
export function registerSite(app: FastifyInstance, site: Site): void {
  for (const url of pages) {
    app.get(url, (_request, reply) => {
      const nonce = createToken();
      const { status, html } = site.renderPage(nonce);
      return reply
        .code(status)
        .header("content-security-policy", renderPolicy(nonce))
        .header("cache-control", "no-store")
        .header("referrer-policy", "no-referrer")
        .header("x-frame-options", "DENY")
        .type("text/html; charset=utf-8")
        .send(html);
    });
    refuseOtherMethods(app, url, new Set(["GET"]));
  }
  app.get("/assets/*", (request, reply) => {
    const asset = site.findAsset((request.params as { "*": string })["*"]);
    if (asset === undefined) return reply.callNotFound();
    const { content, gzipped, type, lasting } = asset;
    const isPacked = gzipped !== undefined && /\bgzip\b/.test(String(request.headers["accept-encoding"]));
    if (isPacked) reply.header("content-encoding", "gzip");
    return reply
      .header("cache-control", lasting ? "public, max-age=31536000, immutable" : "no-cache")
      .header("vary", "accept-encoding")
      .type(type)
      .send(isPacked ? gzipped : content);
  });
  refuseOtherMethods(app, "/assets/*", new Set(["GET"]));
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
