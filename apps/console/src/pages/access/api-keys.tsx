import { Button, Modal, Select, TextInput } from "@mantine/core";
import { roles } from "@cloudwright/contract/kinds";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useProject } from "../../data/project.ts";
import { apiKeysQuery } from "../../data/queries.ts";
import { CodeBlock } from "../../design/code.tsx";
import { ConfirmButton } from "../../design/confirm-button.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, FaultNote, Note, Panel } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";

/** Lists the API keys. A new key is shown only once. */
export function ApiKeys(): ReactNode {
  const queries = useQueryClient();
  const { data, error } = useQuery(apiKeysQuery);
  const [isOpen, setOpen] = useState(false);
  const revoke = async (name: string): Promise<void> => {
    await client.apiKeys.delete(name).then(() => toast("good", `${name} revoked`), toastFault);
    await queries.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  };
  return (
    <Panel
      title="API keys"
      flush
      actions={
        <Button size="xs" onClick={() => setOpen(true)} leftSection={<Icon name="plus" size={14} />}>
          New API key
        </Button>
      }
    >
      {isOpen && <Make onClose={() => setOpen(false)} />}
      <FaultNote error={error} />
      {data?.length === 0 && <Empty icon="access" title="No keys" />}
      <div className="cw-over">
        <table className="cw-plain cw-middle">
          {data !== undefined && data.length > 0 && (
            <thead>
              <tr>
                <th>Name</th>
                <th>Key</th>
                <th>User</th>
                <th>Permissions</th>
                <th className="cw-wide">Created</th>
                <th aria-label="Actions" />
              </tr>
            </thead>
          )}
          <tbody>
            {data?.map(({ metadata, spec, status }) => (
              <tr key={metadata.uid}>
                <td>
                  <b className="cw-strong">{metadata.name}</b>
                  {spec?.description ? <div className="cw-muted cw-small">{spec.description}</div> : null}
                </td>
                <td className="cw-mono">{status?.prefix}…</td>
                <td>{spec?.user}</td>
                <td>
                  {spec?.role || spec?.project ? (
                    <span className="cw-row" style={{ gap: 6 }}>
                      {spec.role ? <Tag>at most {spec.role}</Tag> : null}
                      {spec.project ? <Tag>only {spec.project}</Tag> : null}
                    </span>
                  ) : (
                    <span className="cw-muted">same as the user</span>
                  )}
                </td>
                <td className="cw-muted cw-wide" style={{ whiteSpace: "nowrap" }}>
                  <Age at={metadata.createdAt} />
                </td>
                <td style={{ textAlign: "right" }}>
                  <ConfirmButton label={`Revoke ${metadata.name}`} onConfirm={() => void revoke(metadata.name)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Make({ onClose }: { readonly onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const project = useProject();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [role, setRole] = useState<string | null>(null);
  const [key, setKey] = useState<string>();
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      const made = await client.apiKeys.create({
        metadata: { name },
        spec: { description, ...(role === null ? {} : { role, project }) },
      });
      setKey(made.status?.key);
      await queries.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Modal opened onClose={onClose} title={key === undefined ? "New API key" : `API key ${name}`} size="lg">
      {key === undefined ? (
        <form className="cw-stack" onSubmit={(event) => void submit(event)}>
          <TextInput label="Name" data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
          <TextInput label="Description" value={description} onChange={(event) => setDescription(event.currentTarget.value)} />
          <Select
            label={`Restrict the key to project ${project} with this role`}
            placeholder="Not restricted: same permissions as you"
            clearable
            data={[...roles]}
            value={role}
            onChange={setRole}
          />
          <FaultNote error={error} />
          <Button type="submit" disabled={name === ""}>
            Create key
          </Button>
        </form>
      ) : (
        <div className="cw-stack">
          <Note tone="warn">
            <p>Copy the key now. It will not be shown again.</p>
          </Note>
          <CodeBlock label={name} text={key} />
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </div>
      )}
    </Modal>
  );
}
