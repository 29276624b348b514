import { Button, Modal, Select, TextInput } from "@mantine/core";
import { roles } from "@cloudwright/contract/kinds";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useEntities } from "../../data/live.tsx";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { ConfirmButton } from "../../design/confirm-button.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, FaultNote, Panel } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";

export function RoleBindings(): ReactNode {
  const project = useProject();
  const can = useCan();
  const bindings = useEntities("RoleBinding");
  const [isOpen, setOpen] = useState(false);
  const remove = (name: string): void =>
    void client.roleBindings.delete(project, name).then(() => toast("good", `${name} deleted`), toastFault);
  return (
    <Panel
      title={`Roles in ${project}`}
      flush
      actions={
        can("RoleBinding", "create") && (
          <Button size="xs" onClick={() => setOpen(true)} leftSection={<Icon name="plus" size={14} />}>
            Add role
          </Button>
        )
      }
    >
      {isOpen && <Give onClose={() => setOpen(false)} />}
      {bindings.length === 0 && (
        <Empty icon="access" title="No role bindings">
          Platform owners can access every project without a role binding.
        </Empty>
      )}
      <table className="cw-plain cw-oneline">
        {bindings.length > 0 && (
          <thead>
            <tr>
              <th>User</th>
              <th>Role</th>
              <th>Environment</th>
              <th className="cw-wide">Binding</th>
              <th aria-label="Actions" />
            </tr>
          </thead>
        )}
        <tbody>
          {bindings.map(({ metadata, spec }) => (
            <tr key={metadata.uid}>
              <td>
                <b style={{ fontWeight: 570 }}>{spec?.user}</b>
              </td>
              <td>
                <Tag>{spec?.role}</Tag>
              </td>
              <td className={metadata.environment ? undefined : "cw-muted"}>{metadata.environment || "all"}</td>
              <td className="cw-muted cw-wide">{metadata.name}</td>
              <td style={{ textAlign: "right" }}>
                {can("RoleBinding", "delete") && (
                  <ConfirmButton label={`Delete ${metadata.name}`} onConfirm={() => remove(metadata.name)} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function Give({ onClose }: { readonly onClose: () => void }): ReactNode {
  const project = useProject();
  const environments = useEntities("Environment");
  const [user, setUser] = useState("");
  const [role, setRole] = useState("viewer");
  const [environment, setEnvironment] = useState<string | null>(null);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      const name = [user, role, environment].filter((word) => word !== null).join("-");
      await client.roleBindings.create(project, {
        metadata: { name, ...(environment === null ? {} : { environment }) },
        spec: { user, role },
      });
      toast("good", `${user} now has the ${role} role`);
      onClose();
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Modal opened onClose={onClose} title="Add role">
      <form className="cw-stack" onSubmit={(event) => void submit(event)}>
        <TextInput
          label="User"
          description="Name of an existing user"
          data-autofocus
          value={user}
          onChange={(event) => setUser(event.currentTarget.value)}
        />
        <Select
          label="Role"
          allowDeselect={false}
          data={[...roles]}
          value={role}
          onChange={(value) => setRole(value ?? "viewer")}
        />
        {environments.length > 0 && (
          <Select
            label="Restrict to environment"
            clearable
            data={environments.map(({ metadata }) => metadata.name)}
            value={environment}
            onChange={setEnvironment}
          />
        )}
        <FaultNote error={error} />
        <Button type="submit" disabled={user === ""}>
          Add role
        </Button>
      </form>
    </Modal>
  );
}
