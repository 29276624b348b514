import { AppShell } from "@mantine/core";
import type { ReactNode } from "react";
import { MainContext } from "../design/layout.tsx";

/** Renders the main area of the shell. It is the document's only `main` landmark, so the pages inside render another element. */
export function ShellMain({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <AppShell.Main>
      <MainContext value={true}>{children}</MainContext>
    </AppShell.Main>
  );
}
