import { Button } from "@mantine/core";
import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { permissionsQuery, readPermissions, useCan } from "../../data/permissions.ts";
import { sharedAgentsQuery } from "../../data/queries.ts";
import { Empty, FaultNote, Note, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { OperatorsOnly } from "../../design/operators-only.tsx";
import { Tag } from "../../design/status.tsx";
import { GrantDialog } from "./grant-dialog.tsx";
import { ProjectTags } from "./project-tags.tsx";
import { useAccountNames } from "./use-account-names.ts";

const title = "Agent grants";

/** Shows which projects the shared agents serve, and which projects and accounts may use the agents' own cloud identities. */
export function GrantsPage(): ReactNode {
  const can = useCan();
  return can("Backend", "list") ? <Grants /> : <OperatorsOnly title={title} />;
}

function Grants(): ReactNode {
  const { data, error } = useQuery(sharedAgentsQuery);
  const mayChange = readPermissions(useQuery(permissionsQuery("system")).data)("Agent", "update");
  const [changing, setChanging] = useState<Stored<EntityByKind["Agent"]>>();
  const nameAccount = useAccountNames();
  return (
    <Page
      title={title}
      sub="An account without a key uses the cloud identity of the agent that runs its tasks. An operator decides who may use it."
    >
      {changing !== undefined && <GrantDialog agent={changing} onClose={() => setChanging(undefined)} />}
      <div className="cw-stack">
        <FaultNote error={error} />
        <Panel title="Shared agents" flush>
          {data === undefined && error === null && <Loading rows={3} />}
          {data?.length === 0 && (
            <Empty icon="agent" title="No shared agents">
              An agent that belongs to a project needs no grant. Only accounts in that project can use its identity.
            </Empty>
          )}
          {data !== undefined && data.length > 0 && (
            <div className="cw-over">
              <table className="cw-plain cw-middle">
                <thead>
                  <tr>
                    <th>Agent</th>
                    <th>Serves</th>
                    <th>Projects that may use its identity</th>
                    <th>Accounts that may use its identity</th>
                    <th aria-label="Actions" />
                  </tr>
                </thead>
                <tbody>
                  {data.map((agent) => (
                    <tr key={agent.metadata.uid}>
                      <td>
                        <b className="cw-strong">{agent.metadata.name}</b>
                      </td>
                      <td>
                        <ProjectTags of={agent.spec?.projects} none="all projects" />
                      </td>
                      <td>
                        <ProjectTags of={agent.spec?.identityProjects} none="none" />
                      </td>
                      <td>
                        <Accounts of={agent.spec?.identityAccounts ?? []} nameAccount={nameAccount} />
                      </td>
                      <td style={{ textAlign: "right" }}>
                        {mayChange && (
                          <Button
                            size="compact-xs"
                            variant="default"
                            aria-label={`Edit grants for ${agent.metadata.name}`}
                            onClick={() => setChanging(agent)}
                          >
                            Edit
                          </Button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Panel>
        <Note tone="busy">
          <p>
            A project that may use an agent's identity can do everything in the cloud that the agent's machine can do, unless the
            project's accounts assume a role. Agents that belong to a project are not listed here: only accounts in that project
            can use their identity.
          </p>
        </Note>
      </div>
    </Page>
  );
}

function Accounts(props: { readonly of: readonly string[]; readonly nameAccount: (uid: string) => string }): ReactNode {
  if (props.of.length === 0) return <span className="cw-muted">none</span>;
  return (
    <span className="cw-row" style={{ gap: 6 }}>
      {props.of.map((uid) => (
        <Tag key={uid}>{props.nameAccount(uid)}</Tag>
      ))}
    </span>
  );
}
