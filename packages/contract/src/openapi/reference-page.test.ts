import { describe, expect, test } from "vitest";
import type { JsonObject } from "../entities.ts";
import { renderOpenApi, renderReferencePage } from "../openapi.ts";
import { renderCurl } from "./reference/curl.ts";
import { membersOf, objectAt, textAt } from "./reference/document.ts";

const document = renderOpenApi({ version: "1.2.3" });
const page = renderReferencePage(document);
const hostile = `<script>alert("x")</script>&'"`;

describe("M013 the reference page", () => {
  test("shows every operation and every schema once", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const operations = membersOf(objectAt(document, "paths")).flatMap(([, methods]) => membersOf(methods));
    for (const [, operation] of operations) expect(ids).toContain(textAt(operation, "operationId"));
    for (const name of Object.keys(objectAt(objectAt(document, "components"), "schemas")))
      expect(ids).toContain(`schema-${name}`);
  });

  test("links only to itself and to the OpenAPI document", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`));
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link]) => link as string);
    expect(links.filter((link) => !ids.has(link))).toEqual(["/openapi.json"]);
  });

  test("needs no script and loads nothing, so the strictest content policy allows it", () => {
    expect(page).not.toMatch(/<script|<img|<link|<iframe|@import|url\(|\son\w+=|javascript:/i);
  });

  test("escapes everything from the document", () => {
    const operation = { operationId: hostile, tags: [hostile], summary: hostile, description: hostile, "x-role": hostile };
    const parameters = [
      { name: hostile, in: hostile, description: hostile, schema: { type: hostile, pattern: hostile, enum: [hostile] } },
    ];
    const schema = { description: hostile, "x-rules": [hostile], properties: { [hostile]: { $ref: `#/${hostile}` } } };
    const planted: JsonObject = {
      info: { title: hostile, version: hostile, description: hostile },
      tags: [{ name: hostile, description: hostile }],
      paths: { [hostile]: { get: { ...operation, parameters, responses: { 200: { description: hostile } } } } },
      components: { schemas: { [hostile]: schema }, responses: { [hostile]: { description: hostile } } },
    };
    const rendered = renderReferencePage(planted);
    expect(rendered).toContain("&lt;script&gt;");
    expect(rendered).not.toMatch(/<script|"x"/);
  });

  test("shows the role that an operation requires", () => {
    expect(page).toContain('<span class="role">owner, platform-wide</span>');
  });
});

describe("M013 the commands of the reference", () => {
  test("contain method, URL, credential and body", () => {
    const body = { content: { "application/json": { example: { metadata: { name: "ada's" } } } } };
    expect(renderCurl("POST", "/v1/projects/{project}/clusters", { requestBody: body })).toBe(
      [
        'curl -X POST "$CLOUDWRIGHT_SERVER/v1/projects/default/clusters" \\',
        '  -H "Authorization: Bearer $CLOUDWRIGHT_API_KEY" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '{"metadata":{"name":"ada'\\''s"}}'`,
      ].join("\n"),
    );
  });

  test("send no credential if none is required", () => {
    expect(renderCurl("GET", "/healthz", { security: [] })).toBe('curl "$CLOUDWRIGHT_SERVER/healthz"');
  });
});
