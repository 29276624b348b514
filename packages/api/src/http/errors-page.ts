import { httpStatusOf, platformFaults, type FaultDefinition } from "@cloudwright/platform";
import { embeddedFaults, storeFaults } from "@cloudwright/store";
import { apiFaults } from "../faults.ts";

/** Renders the page that the `type` URL of every problem points to. It lists the meaning and the remedy of each code. */
export function renderErrorsPage(): string {
  const faults: FaultDefinition[] = [apiFaults, storeFaults, embeddedFaults, platformFaults].flatMap((registry) =>
    Object.values(registry),
  );
  const rows = faults.toSorted((a, b) => a.code.localeCompare(b.code)).map(renderRow);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Cloudwright errors</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{font:600 1.05rem ui-monospace,monospace;margin:1.5rem 0 .25rem}p{margin:.25rem 0}:target{outline:2px solid currentColor;outline-offset:.5rem}</style></head>
<body><h1>Errors</h1><p><a href="/docs">API reference</a></p>${rows.join("")}</body></html>`;
}

function renderRow(definition: FaultDefinition): string {
  const { code, retry, when, help } = definition;
  return `<section id="${escape(code)}"><h2>${escape(code)}</h2><p>HTTP ${httpStatusOf(definition)}, retry: ${retry}</p><p>When ${escape(when)}.</p><p>${escape(help)}</p></section>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
