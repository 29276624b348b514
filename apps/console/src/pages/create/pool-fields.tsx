import { Autocomplete, NumberInput, Select, SimpleGrid, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Panel } from "../../design/layout.tsx";
import { ClusterChoice } from "./cluster-choice.tsx";
import type { FieldsProps } from "./fields-props.ts";

/** Renders the form fields for the cluster, size and machines of a node pool. */
export function PoolFields(props: FieldsProps): ReactNode {
  const { draft, set, at } = props;
  return (
    <Panel title="Node pool">
      <Stack gap="md">
        <ClusterChoice {...props} path="metadata.parent" />
        <Autocomplete
          label="Machine type"
          description="Leave empty for the default"
          data={["t3.medium", "t3.large", "m6i.large", "c6i.large", "r6i.large"]}
          value={draft.instanceType}
          {...at("spec.instanceType")}
          onChange={(instanceType) => set("spec.instanceType", { instanceType })}
        />
        <SimpleGrid cols={3}>
          <NumberInput
            label="Minimum"
            min={0}
            max={1000}
            value={draft.min}
            {...at("spec.min")}
            onChange={(min) => set("spec.min", { min: Number(min) })}
          />
          <NumberInput
            label="Desired"
            min={0}
            max={1000}
            value={draft.desired}
            {...at("spec.desired", "spec")}
            onChange={(desired) => set("spec.desired", { desired: Number(desired) })}
          />
          <NumberInput
            label="Maximum"
            min={0}
            max={1000}
            value={draft.max}
            {...at("spec.max")}
            onChange={(max) => set("spec.max", { max: Number(max) })}
          />
        </SimpleGrid>
        <Select
          label="Capacity"
          allowDeselect={false}
          data={[
            { value: "", label: "On demand" },
            { value: "spot", label: "Spot: cheaper, can be interrupted" },
          ]}
          value={draft.capacity}
          {...at("spec.capacity")}
          onChange={(capacity) => set("spec.capacity", { capacity: capacity ?? "" })}
        />
      </Stack>
    </Panel>
  );
}
