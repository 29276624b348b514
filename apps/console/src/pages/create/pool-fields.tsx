import { Autocomplete, NumberInput, Select, SimpleGrid, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Panel } from "../../design/layout.tsx";
import { ClusterChoice } from "./cluster-choice.tsx";
import type { FieldsProps } from "./fields-props.ts";

/** Which cluster a pool belongs to, how large it is, and on what it runs. */
export function PoolFields(props: FieldsProps): ReactNode {
  const { draft, set, at } = props;
  return (
    <Panel title="Node pool">
      <Stack gap="md">
        <ClusterChoice {...props} path="metadata.parent" />
        <Autocomplete
          label="Machine type"
          description="Chosen by the platform when empty"
          data={["t3.medium", "t3.large", "m6i.large", "c6i.large", "r6i.large"]}
          value={draft.instanceType}
          {...at("spec.instanceType")}
          onChange={(instanceType) => set("spec.instanceType", { instanceType })}
        />
        <SimpleGrid cols={3}>
          <NumberInput
            label="Least"
            min={0}
            max={1000}
            value={draft.min}
            {...at("spec.min")}
            onChange={(min) => set("spec.min", { min: Number(min) })}
          />
          <NumberInput
            label="Wanted"
            min={0}
            max={1000}
            value={draft.desired}
            {...at("spec.desired", "spec")}
            onChange={(desired) => set("spec.desired", { desired: Number(desired) })}
          />
          <NumberInput
            label="Most"
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
            { value: "spot", label: "Spot: cheaper, may be taken away" },
          ]}
          value={draft.capacity}
          {...at("spec.capacity")}
          onChange={(capacity) => set("spec.capacity", { capacity: capacity ?? "" })}
        />
      </Stack>
    </Panel>
  );
}
