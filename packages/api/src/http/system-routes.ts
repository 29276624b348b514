import { renderOpenApi, renderReferencePage } from "@cloudwright/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createHash } from "node:crypto";
import type { ApiDeps } from "../deps.ts";
import type { DocumentGate } from "./document-gate.ts";
import { renderErrorsPage } from "./errors-page.ts";
import { rejectOtherMethods } from "./rest/reject-methods.ts";
import type { Metrics } from "./metrics.ts";
import { createStaticDocument } from "./static-document.ts";

/**
 * Serves health checks, metrics, the JWKS and the API documentation. Only the metrics need a credential. The other routes reveal nothing
 * about any project.
 */
export function registerSystemRoutes(
  app: FastifyInstance,
  deps: Pick<ApiDeps, "tokens"> & { readonly gate: DocumentGate },
  /** If `home` is true, the API reference is also served at `/`. */
  system: {
    metrics: Metrics;
    /** Throws unless the request may read the metrics. */
    admitScraper(request: FastifyRequest): Promise<void>;
    version: string;
    isReady: () => Promise<boolean>;
    home: boolean;
  },
): void {
  const openApi = renderOpenApi({ version: system.version });
  const openApiDocument = createStaticDocument(deps.gate, JSON.stringify(openApi), "application/json; charset=utf-8");
  const page = renderReferencePage(openApi);

  app.get("/healthz", () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) =>
    (await system.isReady()) ? { status: "ok" } : reply.code(503).send({ status: "unavailable" }),
  );
  app.get("/metrics", async (request, reply) => {
    await system.admitScraper(request);
    const { contentType, text } = await system.metrics.render();
    return reply.type(contentType).send(text);
  });
  app.get("/openapi.json", openApiDocument);
  app.get("/.well-known/jwks.json", (request, reply) => {
    deps.gate.admit(request, reply, 0);
    return deps.tokens.jwks();
  });
  const pages = { ...(system.home ? { "/": page } : {}), "/docs": page, "/docs/errors": renderErrorsPage() };
  for (const [url, html] of Object.entries(pages)) {
    app.get(
      url,
      createStaticDocument(deps.gate, html, "text/html; charset=utf-8", { "content-security-policy": renderPolicy(html) }),
    );
  }
  for (const url of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/.well-known/jwks.json", ...Object.keys(pages)]) {
    rejectOtherMethods(app, url, new Set(["GET"]));
  }
}

/** Renders a content security policy that allows only the page's own style sheets, by their hashes. */
function renderPolicy(html: string): string {
  const sheets = [...html.matchAll(/<style>([^]*?)<\/style>/g)].map(([, text = ""]) => text);
  const hashes = sheets.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  return `default-src 'none'; style-src ${hashes.join(" ")}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
