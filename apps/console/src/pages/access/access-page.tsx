import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { whoAmIQuery } from "../../data/queries.ts";
import { Page, Panel } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { RoleBindings } from "./role-bindings.tsx";

/** Shows the user's roles, the project's role bindings and the API keys. */
export function AccessPage(): ReactNode {
  const { data } = useQuery(whoAmIQuery);
  return (
    <Page title="Access" sub="Users and their permissions. Roles, from least to most privileged: viewer, editor, admin, owner.">
      <div className="cw-grid">
        <div data-span={8} className="cw-stack">
          <RoleBindings />
        </div>
        <Panel title={`Signed in as ${data?.user ?? "…"}`} span={4} flush>
          <table className="cw-plain">
            <thead>
              <tr>
                <th>Project</th>
                <th>Environment</th>
                <th>Role</th>
              </tr>
            </thead>
            <tbody>
              {data?.grants?.map(({ project, environment, role }) => (
                <tr key={`${project ?? ""}/${environment ?? ""}`}>
                  <td>{project === "system" ? "all projects" : project}</td>
                  <td className="cw-muted">{environment || "all"}</td>
                  <td>
                    <Tag>{role}</Tag>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
        <ApiKeys />
      </div>
    </Page>
  );
}
