import type { JsonObject } from "../entities.ts";
import { listAt, membersOf, objectAt, textAt } from "./reference/document.ts";
import { html, prose, type Html } from "./reference/html.ts";
import { renderAnswers, renderOperation } from "./reference/operation.ts";
import { renderSchemas } from "./reference/schema.ts";
import { style } from "./reference/style.ts";

/** Renders the OpenAPI document as a single HTML page without scripts or external resources. */
export function renderReferencePage(openapi: JsonObject): string {
  const info = objectAt(openapi, "info");
  const tags = listAt(openapi, "tags");
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${textAt(info, "title")}</title>
        <style>
          ${{ html: style }}
        </style>
      </head>
      <body>
        <header>
          <h1>${textAt(info, "title")} <span class="quiet">${textAt(info, "version")}</span></h1>
          ${prose(textAt(info, "description"))}
          <p>Machine-readable version: <a href="/openapi.json">openapi.json</a></p>
        </header>
        <nav aria-label="Services">
          ${tags.map((tag) => html`<a href="#tag-${textAt(tag, "name")}">${textAt(tag, "name")}</a> `)}
          <a href="#errors">Errors</a> <a href="#schemas">Schemas</a>
        </nav>
        <main>
          ${tags.map((tag) => renderTag(openapi, tag))}
          <section id="errors">
            <h2>Errors</h2>
            <p>
              Every error is a problem document (RFC 9457) with a code, the invalid fields and a hint on how to fix the problem.
            </p>
            ${renderAnswers(membersOf(objectAt(objectAt(openapi, "components"), "responses")))}
          </section>
          <section id="schemas">
            <h2>Schemas</h2>
            ${renderSchemas(openapi)}
          </section>
        </main>
      </body>
    </html>`;
  return `${page.html}\n`;
}

function renderTag(openapi: JsonObject, tag: JsonObject): Html {
  const name = textAt(tag, "name");
  const operations = membersOf(objectAt(openapi, "paths")).flatMap(([path, methods]) =>
    membersOf(methods)
      .filter(([, { tags }]) => Array.isArray(tags) && tags.includes(name))
      .map(([method, operation]) => renderOperation(openapi, method.toUpperCase(), path, operation)),
  );
  return html`<section id="tag-${name}">
    <h2>${name}</h2>
    ${prose(textAt(tag, "description"))} ${operations}
  </section>`;
}
