import { Button, Group, NumberInput, Select, Stack, TextInput } from "@mantine/core";
import { findCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { useLocations } from "../../data/use-locations.ts";
import { Icon } from "../../design/icons.tsx";
import { Panel } from "../../design/layout.tsx";
import type { FieldsProps } from "../create-form.ts";
import { hasPorts, newRule, protocols, type RuleValues } from "./rules.ts";

export type SecurityGroupValues = {
  readonly network: string;
  readonly description: string;
  readonly rules: readonly RuleValues[];
};

/** Renders the form fields for a security group's network and rules. */
export function SecurityGroupFields({ draft, set, at }: FieldsProps<SecurityGroupValues>): ReactNode {
  const networks = useEntities("Network");
  const locations = useLocations();
  const usable = networks.filter(
    ({ metadata }) => findCloud(locations.find("Network", metadata.name).cloud)?.hasSecurityGroups === true,
  );
  const change = (index: number, next: Partial<RuleValues> | undefined): void => {
    const changed = draft.rules.map((rule, place) => (place === index ? { ...rule, ...next } : rule));
    set("spec.rules", { rules: next === undefined ? draft.rules.filter((_, place) => place !== index) : changed });
  };
  return (
    <>
      <Panel title="Security group">
        <Stack gap="md">
          <Select
            label="Network"
            description="Only instances in this network can have the group"
            required
            withAsterisk={false}
            allowDeselect={false}
            data={usable.map(({ metadata }) => metadata.name)}
            value={draft.network || null}
            {...at("spec.network")}
            onChange={(network) => set("spec.network", { network: network ?? "" })}
          />
          <TextInput
            label="Description"
            value={draft.description}
            {...at("spec.description")}
            onChange={(event) => set("spec.description", { description: event.currentTarget.value })}
          />
        </Stack>
      </Panel>
      <Panel title="Rules">
        <Stack gap="md">
          <span className="cw-muted">
            Instances accept what a rule allows and drop all other connections. Replies are always allowed. On your own machines,
            instances in the same network find each other only if a rule allows ARP.
          </span>
          {draft.rules.map((rule, index) => (
            <RuleFields key={index} rule={rule} index={index} at={at} change={(next) => change(index, next)} />
          ))}
          <Group>
            <Button
              variant="default"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => set("spec.rules", { rules: [...draft.rules, newRule] })}
            >
              Add rule
            </Button>
          </Group>
        </Stack>
      </Panel>
    </>
  );
}

interface RuleFieldsProps extends Pick<FieldsProps, "at"> {
  readonly rule: RuleValues;
  readonly index: number;
  /** Changes the rule, or removes it if there is no change. */
  readonly change: (next: Partial<RuleValues> | undefined) => void;
}

function RuleFields({ rule, index, at, change }: RuleFieldsProps): ReactNode {
  const path = `spec.rules[${index}]`;
  const isOutgoing = rule.direction === "egress";
  const portProps = { min: 1, max: 65_535, hideControls: true, style: { flex: 1 }, disabled: !hasPorts(rule.protocol) };
  return (
    <Stack gap="xs">
      <Group gap="sm" align="flex-end" wrap="nowrap">
        <Select
          label="Direction"
          style={{ flex: 1 }}
          allowDeselect={false}
          data={["ingress", "egress"]}
          value={rule.direction}
          onChange={(direction) => change({ direction: direction === "egress" ? "egress" : "ingress" })}
        />
        <Select
          label="Protocol"
          style={{ flex: 1 }}
          allowDeselect={false}
          data={protocols}
          value={rule.protocol}
          {...at(`${path}.protocol`)}
          onChange={(protocol) => change({ protocol: protocol ?? "tcp" })}
        />
        <NumberInput
          label="First port"
          placeholder="all"
          {...portProps}
          value={rule.fromPort}
          {...at(`${path}.fromPort`)}
          onChange={(port) => change({ fromPort: port === "" ? "" : Number(port) })}
        />
        <NumberInput
          label="Last port"
          placeholder="same"
          {...portProps}
          value={rule.toPort}
          {...at(`${path}.toPort`)}
          onChange={(port) => change({ toPort: port === "" ? "" : Number(port) })}
        />
        <Button variant="subtle" px="xs" aria-label={`Remove rule ${index + 1}`} onClick={() => change(undefined)}>
          <Icon name="trash" size={16} />
        </Button>
      </Group>
      <TextInput
        label={isOutgoing ? "Destination" : "Source"}
        description="An IPv4 range such as 10.0.0.0/8, a security group in the network, or self"
        value={rule.peer}
        {...at(`${path}.cidr`, `${path}.group`, path)}
        onChange={(event) => change({ peer: event.currentTarget.value.trim() })}
      />
    </Stack>
  );
}
