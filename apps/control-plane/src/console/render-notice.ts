const styles = `
  :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
  body { min-height: 90vh; display: grid; place-items: center; margin: 0; padding: 0 24px; }
  main { max-width: 36rem; }
  h1 { font-size: 1.25rem; }
  @media (prefers-reduced-motion: no-preference) { p.busy { animation: breathe 1.6s ease-in-out infinite alternate; } }
  @keyframes breathe { to { opacity: .45; } }`;

/**
 * Renders the page shown while the console is being built, or after the build has failed. The page has no scripts. It shows no file
 * paths because visitors are not signed in; the server log has the details.
 */
export function renderNotice(nonce: string, isBroken: boolean): string {
  const [title, body] = isBroken
    ? [
        "The console could not be built",
        `<p>Everything else works: the API, <a href="/docs">its reference</a> and the command <code>cloud</code>.</p>
         <p>The server's log contains the reason. If packages are missing, run <code>npm ci</code> in the clone. The user who runs the server must
         be able to write to the folder <code>apps/console</code>. Then restart the server.</p>`,
      ]
    : [
        "The console is being built",
        '<p class="busy">This happens once and takes a few seconds. The page reloads automatically.</p>',
      ];
  const again = isBroken ? "" : '<meta http-equiv="refresh" content="1">';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${again}
<title>${title} · Cloudwright</title><style nonce="${nonce}">${styles}</style></head>
<body><main><h1>${title}</h1>${body}</main></body></html>\n`;
}
