import { Autocomplete, NumberInput, Select, SimpleGrid, Stack, Switch } from "@mantine/core";
import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { getCloudView, withoutOtherClouds } from "../../clouds/registry.ts";
import { useLocations } from "../../data/use-locations.ts";
import { Panel } from "../../design/layout.tsx";
import { ClusterChoice } from "../cluster/cluster-choice.tsx";
import { SettingPanels } from "../../settings/setting-panels.tsx";
import { pickValues } from "../../settings/setting-values.ts";
import type { FieldsProps } from "../create-form.ts";

export type NodePoolValues = {
  readonly instanceType: string;
  readonly min: number;
  readonly desired: number;
  readonly max: number;
  readonly capacity: string;
  readonly autoscaling: boolean;
};

/** Renders the form fields for a node pool's cluster, size and machines. */
export function NodePoolFields(props: FieldsProps<NodePoolValues>): ReactNode {
  const { draft, set, at } = props;
  const locations = useLocations();
  const known = locations.find("Cluster", draft.parent).cloud;
  const cloud = known || defaultCloud;
  const { machines } = getCloud(cloud);
  const changeCluster = (parent: string): void => {
    const next = locations.find("Cluster", parent).cloud || defaultCloud;
    const kept = pickValues(draft.settings, getCloudView(next).settings.nodePool);
    set("metadata.parent", {
      parent,
      ...(next === cloud ? {} : { instanceType: "", settings: kept, rest: withoutOtherClouds(draft.rest, next) }),
    });
  };
  return (
    <>
      <Panel title="Node pool">
        <Stack gap="md">
          <ClusterChoice value={draft.parent} field={at("metadata.parent")} onChange={changeCluster} />
          <Autocomplete
            label="Machine type"
            description={
              known === ""
                ? "Leave empty to use the default"
                : `Leave empty to use the cluster's machine type, or ${machines.defaultType} if the cluster has none`
            }
            data={[...machines.suggestedTypes]}
            value={draft.instanceType}
            {...at("spec.instanceType")}
            onChange={(instanceType) => set("spec.instanceType", { instanceType })}
          />
          <Switch
            label="Autoscaling"
            description="An autoscaler keeps the number of nodes between minimum and maximum"
            checked={draft.autoscaling}
            onChange={(event) => set("spec.autoscaling", { autoscaling: event.currentTarget.checked })}
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
              label={draft.autoscaling ? "Initial" : "Desired"}
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
      {known !== "" && <SettingPanels {...props} groups={getCloudView(cloud).settings.nodePool} />}
    </>
  );
}
