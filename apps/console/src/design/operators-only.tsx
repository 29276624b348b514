import type { ReactNode } from "react";
import { Empty, Page, Panel } from "./layout.tsx";

/** Replaces a platform-wide page for users who have roles only in individual projects. */
export function OperatorsOnly({ title }: { readonly title: string }): ReactNode {
  return (
    <Page title={title}>
      <Panel>
        <Empty icon="access" title="Only operators can see this page">
          This page shows platform-wide settings. To view them, you need a role in the "system" project.
        </Empty>
      </Panel>
    </Page>
  );
}
