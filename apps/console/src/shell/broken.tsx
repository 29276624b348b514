import { Button } from "@mantine/core";
import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Empty, FaultNote, Page } from "../design/layout.tsx";

/** Shown instead of a page that failed to render. */
export function Broken({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <Page title="This page could not be displayed">
      <div className="cw-stack">
        <FaultNote error={error} />
        <div>
          <Button onClick={reset}>Try again</Button>
        </div>
      </div>
    </Page>
  );
}

/** Shown for an unknown URL. */
export function Missing(): ReactNode {
  return (
    <Page title="Page not found">
      <Empty
        icon="search"
        title="This page does not exist"
        action={
          <Button component={Link} to="/">
            Go to overview
          </Button>
        }
      >
        It may have been deleted, or the address is wrong.
      </Empty>
    </Page>
  );
}
