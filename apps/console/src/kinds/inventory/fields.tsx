import { Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { findCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { useLocations } from "../../data/use-locations.ts";
import { Icon } from "../../design/icons.tsx";
import { Panel } from "../../design/layout.tsx";
import type { FieldsProps } from "../create-form.ts";
import { newHost, type HostValues } from "./hosts.ts";

export type InventoryValues = {
  readonly account: string;
  readonly sshKey: string;
  readonly user: string;
  readonly hosts: readonly HostValues[];
};

/** Renders the form fields for an inventory's account, login and hosts. Labels and management controllers can be set as YAML. */
export function InventoryFields({ draft, set, at }: FieldsProps<InventoryValues>): ReactNode {
  const [accounts, keys] = [useEntities("Account"), useEntities("SshKey")];
  const locations = useLocations();
  const usable = accounts.filter(
    ({ metadata }) => findCloud(locations.find("Account", metadata.name).cloud)?.hasInventories === true,
  );
  const change = (index: number, next: Partial<HostValues> | undefined): void => {
    const changed = draft.hosts.map((host, place) => (place === index ? { ...host, ...next } : host));
    set("spec.hosts", { hosts: next === undefined ? draft.hosts.filter((_, place) => place !== index) : changed });
  };
  return (
    <>
      <Panel title="Inventory">
        <Stack gap="md">
          <Select
            label="Account"
            description="Accounts of your own machines. The account's agent connects to the hosts."
            required
            withAsterisk={false}
            allowDeselect={false}
            data={usable.map(({ metadata }) => metadata.name)}
            value={draft.account || null}
            {...at("spec.account")}
            onChange={(account) => set("spec.account", { account: account ?? "" })}
          />
          <Select
            label="SSH key"
            description="The platform logs in with it, so it must store the private key"
            required
            withAsterisk={false}
            allowDeselect={false}
            data={keys.map(({ metadata }) => metadata.name)}
            value={draft.sshKey || null}
            {...at("spec.sshKey")}
            onChange={(sshKey) => set("spec.sshKey", { sshKey: sshKey ?? "" })}
          />
          <TextInput
            label="User"
            description="Leave empty to log in as root"
            value={draft.user}
            {...at("spec.user")}
            onChange={(event) => set("spec.user", { user: event.currentTarget.value })}
          />
        </Stack>
      </Panel>
      <Panel title="Hosts">
        <Stack gap="md">
          {draft.hosts.map((host, index) => (
            <HostFields key={index} host={host} index={index} at={at} change={(next) => change(index, next)} />
          ))}
          <Group>
            <Button
              variant="default"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => set("spec.hosts", { hosts: [...draft.hosts, newHost] })}
            >
              Add host
            </Button>
          </Group>
        </Stack>
      </Panel>
    </>
  );
}

interface HostFieldsProps extends Pick<FieldsProps, "at"> {
  readonly host: HostValues;
  readonly index: number;
  /** Changes the host, or removes it if there is no change. */
  readonly change: (next: Partial<HostValues> | undefined) => void;
}

function HostFields({ host, index, at, change }: HostFieldsProps): ReactNode {
  const path = `spec.hosts[${index}]`;
  const field = (name: keyof HostValues, label: string, placeholder: string): ReactNode => (
    <TextInput
      label={label}
      placeholder={placeholder}
      style={{ flex: 1 }}
      value={host[name]}
      {...at(`${path}.${name}`)}
      onChange={(event) => change({ [name]: event.currentTarget.value.trim() })}
    />
  );
  return (
    <Group gap="sm" align="flex-end" wrap="nowrap">
      {field("name", "Name", "node-1")}
      {field("address", "Address", "192.0.2.11")}
      {field("user", "User", "the inventory's user")}
      <Button variant="subtle" px="xs" aria-label={`Remove host ${index + 1}`} onClick={() => change(undefined)}>
        <Icon name="trash" size={16} />
      </Button>
    </Group>
  );
}
