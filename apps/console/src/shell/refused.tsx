import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLive } from "../data/live.tsx";
import { pathOf } from "../data/paths.ts";
import { useProject } from "../data/project.ts";
import { projectsQuery } from "../data/queries.ts";
import { Empty, FaultNote, Page, Panel } from "../design/layout.tsx";

/** Renders the current page, or the reason why the user cannot see the project. */
export function ProjectPage(): ReactNode {
  return useLive(({ status }) => status === "refused") ? <Refused /> : <Outlet />;
}

function Refused(): ReactNode {
  const project = useProject();
  const refusal = useLive((state) => state.refusal);
  const { data = [] } = useQuery(projectsQuery);
  const others = data.map(({ metadata }) => metadata.name).filter((name) => name !== project);
  return (
    <Page title={project} sub="This project does not exist, or you have no role in it">
      <div className="cw-stack">
        <FaultNote error={refusal} />
        <Panel>
          <Empty
            icon="search"
            title={others.length === 0 ? "You have no access to any project" : "Projects you can access"}
            action={
              <div className="cw-row" style={{ justifyContent: "center" }}>
                {others.slice(0, 12).map((name) => (
                  <Button key={name} component={Link} to={pathOf(name)} variant="default">
                    {name}
                  </Button>
                ))}
                <Button variant="light" onClick={() => location.reload()}>
                  Try again
                </Button>
              </div>
            }
          >
            {others.length === 0 && "Ask a project owner to give you a role."}
          </Empty>
        </Panel>
      </div>
    </Page>
  );
}
