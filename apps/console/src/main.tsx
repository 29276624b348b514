import "@fontsource-variable/inter/wght.css";
import "@mantine/core/styles.css";
import "./design/styles.css";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { watchSignOut, watchWarnings } from "./data/client.ts";
import { sessionQuery } from "./data/session.ts";
import { resolveVariables, theme } from "./design/theme.ts";
import { toast, Toasts } from "./design/toasts.tsx";
import { createAppRouter } from "./routes.tsx";

// Retries are disabled here, because the API client already retries requests where that is safe.
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 5000, refetchOnWindowFocus: false } } });
const router = createAppRouter(queries);
const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute("content") ?? "";
// The scroll lock library that dialogs use adds a style sheet. The library reads the CSP nonce from this global.
Reflect.set(globalThis, "__webpack_nonce__", nonce);

watchSignOut(() => {
  if (queries.getQueryData(sessionQuery.queryKey) == null) return;
  queries.setQueryData(sessionQuery.queryKey, null);
  void router.invalidate();
});

watchWarnings((warning) => toast("warn", warning));

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
