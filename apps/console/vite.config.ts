import { defineConfig } from "vite";

const development = "http://127.0.0.1:8480";

export default defineConfig({
  build: {
    target: "es2022",
    sourcemap: false,
    // Everything that is not a page lies in one folder, which the control plane serves as it is.
    assetsDir: "assets",
    // A font in a style sheet would be sent to everybody at once, and `font-src 'self'` forbids it.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
    // Directives for servers that render React; nothing is rendered there.
    rolldownOptions: { onLog: (level, log, handle) => void (log.code === "MODULE_LEVEL_DIRECTIVE" || handle(level, log)) },
  },
  server: { proxy: { "/v1": { target: development, changeOrigin: true } } },
});
