import { systemClock } from "@cloudwright/platform";
import { fastify } from "fastify";
import { createHash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { createDocumentGate } from "./document-gate.ts";
import { createMetrics } from "./metrics.ts";
import { registerSystemRoutes } from "./system-routes.ts";
import type { Tokens } from "../identity/tokens.ts";

test("M015 the documentation pages allow only their own style sheet, by its hash", async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  const metrics = createMetrics({ watchers: () => 0, connections: () => 0, bodyBytes: () => 0 });
  const tokens = {} as Tokens;
  const system = {
    metrics,
    admitScraper: () => Promise.resolve(),
    version: "0",
    isReady: () => Promise.resolve(true),
    home: true,
  };
  registerSystemRoutes(app, { tokens, gate: createDocumentGate({ clock: systemClock }) }, system);
  for (const url of ["/", "/docs", "/docs/errors"]) {
    const { headers, body } = await app.inject({ url });
    const [, sheet = ""] = /<style>([^]*?)<\/style>/.exec(body) ?? [];
    const hash = createHash("sha256").update(sheet).digest("base64");
    expect(sheet).not.toBe("");
    expect(headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(body).not.toMatch(/ style=|<script|<img/);
  }
});
