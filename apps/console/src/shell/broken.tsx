import { Button } from "@mantine/core";
import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Empty, FaultNote, Page } from "../design/layout.tsx";

/** Replaces a page that could not be rendered. */
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

/** Shown at an unknown address. */
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
