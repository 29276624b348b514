import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useProject } from "../../data/project.ts";
import { runsQuery } from "../../data/queries.ts";
import { FaultNote, Page, Panel } from "../../design/layout.tsx";
import { RunTable } from "./run-table.tsx";

const parts: Readonly<Record<string, (state: string) => boolean>> = {
  All: () => true,
  "Needs approval": (state) => state === "NEEDS_APPROVAL",
  Working: (state) => ["PLANNING", "PLANNED", "APPLYING"].includes(state),
  Failed: (state) => state === "FAILED",
};

/** Lists all runs of the project. */
export function RunsPage(): ReactNode {
  const { data, error } = useQuery(runsQuery(useProject()));
  const [part, setPart] = useState("All");
  const shown = (data ?? []).filter(({ state }) => parts[part]?.(state ?? ""));
  return (
    <Page
      title="Runs"
      sub="Terraform plans with their approvals and results"
      actions={<SegmentedControl size="xs" aria-label="Filter runs" data={Object.keys(parts)} value={part} onChange={setPart} />}
    >
      <FaultNote error={error} />
      <Panel flush>
        <RunTable runs={shown} isLoading={data === undefined && error === null} />
      </Panel>
    </Page>
  );
}
