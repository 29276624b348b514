import { fastify, type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerSite, type Site } from "./routes.ts";

let app: FastifyInstance;
beforeAll(() => {
  app = fastify();
  const content = Buffer.from("let a;");
  const site: Site = {
    renderPage: (nonce) => ({ status: 200, html: `<style nonce="${nonce}"></style>` }),
    findAsset: (name) =>
      name === "a-12345678.js"
        ? { content, gzipped: Buffer.from("packed"), type: "text/javascript; charset=utf-8", lasting: true }
        : undefined,
  };
  registerSite(app, site, { admit: () => undefined });
});
afterAll(() => app.close());

test("M015 every console URL returns its page, with a policy that allows only its own files to run", async () => {
  const policies = new Set<string>();
  for (const url of ["/", "/sign-in", "/p/default", "/p/default/k/clusters/dev"]) {
    const { statusCode, headers, body } = await app.inject({ url });
    const policy = String(headers["content-security-policy"]);
    const nonce = /'nonce-([\w-]{43})'/.exec(policy)?.[1];
    expect([statusCode, body]).toEqual([200, `<style nonce="${nonce}"></style>`]);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers["cache-control"]).toBe("no-store");
    policies.add(policy);
  }
  expect(policies.size).toBe(4);
});

test("M015 files are compressed for clients that support it and cached forever by name; unknown files are not found", async () => {
  const plain = await app.inject({ url: "/assets/a-12345678.js" });
  expect([plain.body, plain.headers["content-encoding"], plain.headers["cache-control"]]).toEqual([
    "let a;",
    undefined,
    "public, max-age=31536000, immutable",
  ]);
  const packed = await app.inject({ url: "/assets/a-12345678.js", headers: { "accept-encoding": "gzip, br" } });
  expect([packed.headers["content-encoding"], packed.headers["vary"]]).toEqual(["gzip", "accept-encoding"]);
  for (const url of ["/assets/b.js", "/assets/../package.json", "/assets/%2e%2e/package.json", "/assets"])
    expect((await app.inject({ url })).statusCode).toBe(404);
});
