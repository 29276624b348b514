import { Button } from "@mantine/core";
import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Empty, FaultNote, Page } from "../design/layout.tsx";

/** What stands in the place of a page that could not be shown. */
export function Broken({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <Page title="This page cannot be shown">
      <div className="cw-stack">
        <FaultNote error={error} />
        <div>
          <Button onClick={reset}>Try again</Button>
        </div>
      </div>
    </Page>
  );
}

/** What stands at an address that the console does not have. */
export function Missing(): ReactNode {
  return (
    <Page title="Nothing is here">
      <Empty
        icon="search"
        title="There is no such page"
        action={
          <Button component={Link} to="/">
            Go to the overview
          </Button>
        }
      >
        What it showed may have been deleted, or the address was mistyped.
      </Empty>
    </Page>
  );
}
