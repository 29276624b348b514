import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useProject } from "../../data/project.ts";
import { runsQuery } from "../../data/queries.ts";
import { FaultNote, Panel } from "../../design/layout.tsx";
import { RunTable } from "../runs/run-table.tsx";

export function EntityRuns({ uid }: { readonly uid: string }): ReactNode {
  const { data, error } = useQuery(runsQuery(useProject(), uid));
  if (error !== null) return <FaultNote error={error} />;
  return (
    <Panel flush>
      <RunTable runs={data ?? []} isLoading={data === undefined} />
    </Panel>
  );
}
