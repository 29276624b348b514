import { renderOpenApi, renderReferencePage } from "@cloudwright/contract";
import type { FastifyInstance } from "fastify";
import { createHash } from "node:crypto";
import type { ApiDeps } from "../deps.ts";
import { renderErrorsPage } from "./errors-page.ts";
import { refuseOtherMethods } from "./rest/refuse-methods.ts";
import type { Metrics } from "./metrics.ts";

/** Serves what is not an operation: health, metrics, the API's own description. Open to everyone; nothing here tells of any project. */
export function registerSystemRoutes(
  app: FastifyInstance,
  deps: Pick<ApiDeps, "tokens">,
  /** With `home` the reference is at `/` too. */
  system: { metrics: Metrics; version: string; isReady: () => Promise<boolean>; home: boolean },
): void {
  const openApi = renderOpenApi({ version: system.version });
  const openApiText = JSON.stringify(openApi);
  const page = renderReferencePage(openApi);

  app.get("/healthz", () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) =>
    (await system.isReady()) ? { status: "ok" } : reply.code(503).send({ status: "unavailable" }),
  );
  app.get("/metrics", async (_request, reply) => {
    const { contentType, text } = await system.metrics.render();
    return reply.type(contentType).send(text);
  });
  app.get("/openapi.json", (_request, reply) => reply.type("application/json; charset=utf-8").send(openApiText));
  app.get("/.well-known/jwks.json", () => deps.tokens.jwks());
  const pages = { ...(system.home ? { "/": page } : {}), "/docs": page, "/docs/errors": renderErrorsPage() };
  for (const [url, html] of Object.entries(pages)) {
    const policy = renderPolicy(html);
    app.get(url, (_request, reply) =>
      reply.header("content-security-policy", policy).type("text/html; charset=utf-8").send(html),
    );
  }
  for (const url of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/.well-known/jwks.json", ...Object.keys(pages)]) {
    refuseOtherMethods(app, url, new Set(["GET"]));
  }
}

/** Lets a page have the style sheet that is in it, and nothing else. */
function renderPolicy(html: string): string {
  const sheets = [...html.matchAll(/<style>([^]*?)<\/style>/g)].map(([, text = ""]) => text);
  const hashes = sheets.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  return `default-src 'none'; style-src ${hashes.join(" ")}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
