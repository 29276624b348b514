import { Button } from "@mantine/core";
import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useCan } from "../../data/permissions.ts";
import { backendsQuery } from "../../data/queries.ts";
import { ConfirmButton } from "../../design/confirm-button.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, FaultNote, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { OperatorsOnly } from "../../design/operators-only.tsx";
import { Tag } from "../../design/status.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";
import { ProjectTags } from "../grants/project-tags.tsx";
import { BackendDialog } from "./backend-dialog.tsx";
import { listSecretFields, nameField } from "./backend-fields.ts";

type Backend = Stored<EntityByKind["Backend"]>;

const title = "Backends";

/** Lists the state backends outside the platform and the projects that may use them. */
export function BackendsPage(): ReactNode {
  const can = useCan();
  return can("Backend", "list") ? <Backends /> : <OperatorsOnly title={title} />;
}

function Backends(): ReactNode {
  const can = useCan();
  const queries = useQueryClient();
  const { data, error } = useQuery(backendsQuery);
  const [editing, setEditing] = useState<Backend | "new">();
  const remove = async (name: string): Promise<void> => {
    await client.backends.delete(name).then(() => toast("good", `${name} deleted`), toastFault);
    await queries.invalidateQueries({ queryKey: backendsQuery.queryKey });
  };
  const create = can("Backend", "create") && (
    <Button onClick={() => setEditing("new")} leftSection={<Icon name="plus" size={16} />}>
      Create backend
    </Button>
  );
  return (
    <Page
      title={title}
      sub="Terraform state backends outside the platform. Projects can use only the backends that allow them."
      actions={data !== undefined && data.length > 0 && create}
    >
      {editing !== undefined && (
        <BackendDialog {...(editing === "new" ? {} : { backend: editing })} onClose={() => setEditing(undefined)} />
      )}
      <FaultNote error={error} />
      <Panel flush>
        {data === undefined && error === null && <Loading rows={3} />}
        {data?.length === 0 && (
          <Empty icon="save" title="No external backends" action={create}>
            The platform stores all Terraform states itself. Create a backend to store the states of some projects elsewhere.
          </Empty>
        )}
        {data !== undefined && data.length > 0 && (
          <div className="cw-over">
            <table className="cw-plain cw-middle">
              <thead>
                <tr>
                  <th>Name</th>
                  <th>Type</th>
                  <th className="cw-wide">Settings</th>
                  <th>Allowed projects</th>
                  <th className="cw-wide">Secrets</th>
                  <th aria-label="Actions" />
                </tr>
              </thead>
              <tbody>
                {data.map((backend) => (
                  <tr key={backend.metadata.uid}>
                    <td>
                      <b className="cw-strong">{backend.metadata.name}</b>
                    </td>
                    <td>
                      <Tag>{backend.spec?.type}</Tag>
                    </td>
                    <td className="cw-mono cw-small cw-wide">
                      <Settings backend={backend} />
                    </td>
                    <td>
                      <ProjectTags of={backend.spec?.projects} none="none" />
                    </td>
                    <td className="cw-muted cw-wide">{describeSecrets(backend)}</td>
                    <td>
                      <span className="cw-row" style={{ justifyContent: "flex-end", flexWrap: "nowrap" }}>
                        {can("Backend", "update") && (
                          <Button
                            size="compact-xs"
                            variant="default"
                            aria-label={`Edit ${backend.metadata.name}`}
                            onClick={() => setEditing(backend)}
                          >
                            Edit
                          </Button>
                        )}
                        {can("Backend", "delete") && (
                          <ConfirmButton
                            label={`Delete ${backend.metadata.name}`}
                            onConfirm={() => void remove(backend.metadata.name)}
                          />
                        )}
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
    </Page>
  );
}

function Settings({ backend: { spec } }: { readonly backend: Backend }): ReactNode {
  const { prefix = "", settings = {} } = spec ?? {};
  return [...Object.entries(settings), ...(prefix === "" ? [] : [["prefix", prefix] as const])].map(([key, value]) => (
    <div key={key}>
      {key}={value}
    </div>
  ));
}

function describeSecrets({ spec, status }: Backend): string {
  const stored = status?.secretsSet ?? [];
  const names = listSecretFields(spec?.type ?? "").filter((field) => stored.includes(`spec.${field}`));
  return names.length === 0 ? "the agent's own environment variables" : names.map(nameField).join(", ");
}
