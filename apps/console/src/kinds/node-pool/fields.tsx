import { Autocomplete, NumberInput, Select, SimpleGrid, Stack } from "@mantine/core";
import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { useLocations } from "../../data/use-locations.ts";
import { Panel } from "../../design/layout.tsx";
import { ClusterChoice } from "../cluster/cluster-choice.tsx";
import type { FieldsProps } from "../create-form.ts";

export type NodePoolValues = {
  readonly instanceType: string;
  readonly min: number;
  readonly desired: number;
  readonly max: number;
  readonly capacity: string;
};

/** Renders the form fields for a node pool's cluster, size and machines. */
export function NodePoolFields({ draft, set, at }: FieldsProps<NodePoolValues>): ReactNode {
  const { cloud } = useLocations().find("Cluster", draft.parent);
  return (
    <Panel title="Node pool">
      <Stack gap="md">
        <ClusterChoice
          value={draft.parent}
          field={at("metadata.parent")}
          onChange={(parent) => set("metadata.parent", { parent })}
        />
        <Autocomplete
          label="Machine type"
          description="Leave empty for the default"
          data={[...getCloud(cloud || defaultCloud).machines.suggestedTypes]}
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
