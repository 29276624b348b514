import type { ReactNode } from "react";
import { Empty, Page, Panel } from "./layout.tsx";

/** Replaces a page about the whole platform for users who have a role in single projects only. */
export function OperatorsOnly({ title }: { readonly title: string }): ReactNode {
  return (
    <Page title={title}>
      <Panel>
        <Empty icon="access" title="Only operators can see this page">
          It shows settings of the whole platform. Seeing them requires a role in the project "system".
        </Empty>
      </Panel>
    </Page>
  );
}
