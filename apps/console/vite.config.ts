import { defineConfig } from "vite";

const development = "http://127.0.0.1:8480";

export default defineConfig({
  build: {
    target: "es2022",
    sourcemap: false,
    // Puts all files except index.html into one folder, which the control plane serves unchanged.
    assetsDir: "assets",
    // Disables inlining. The CSP directive `font-src 'self'` blocks inlined fonts, so every visitor would download them for nothing.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
    // Suppresses warnings about "use client" directives, which matter only for server-side rendering.
    rolldownOptions: { onLog: (level, log, handle) => void (log.code === "MODULE_LEVEL_DIRECTIVE" || handle(level, log)) },
  },
  server: { proxy: { "/v1": { target: development, changeOrigin: true } } },
});
