import { Autocomplete, NumberInput, Select, Stack } from "@mantine/core";
import { defaultCloud, findCloud, getCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { getCloudView, withoutOtherClouds } from "../../clouds/registry.ts";
import { useEntities } from "../../data/live.tsx";
import { useLocations } from "../../data/use-locations.ts";
import { Panel } from "../../design/layout.tsx";
import { SettingPanels } from "../../settings/setting-panels.tsx";
import { pickValues } from "../../settings/setting-values.ts";
import type { FieldsProps } from "../create-form.ts";
import { listOffered } from "./kubernetes-versions.ts";

export type ClusterValues = {
  readonly network: string;
  readonly version: string;
  readonly workers: number | "";
  readonly instanceType: string;
  readonly approval: string;
};

/** Renders the form fields for a cluster's network, version and workers. */
export function ClusterFields(props: FieldsProps<ClusterValues>): ReactNode {
  const { draft, set, at } = props;
  const networks = useEntities("Network");
  const locations = useLocations();
  const known = locations.find("Network", draft.network).cloud;
  const cloud = known || defaultCloud;
  const { settings } = getCloudView(cloud);
  const changeNetwork = (network: string): void => {
    const next = locations.find("Network", network).cloud || defaultCloud;
    const kept = pickValues(draft.settings, getCloudView(next).settings.cluster);
    set("spec.network", {
      network,
      ...(next === cloud ? {} : { instanceType: "", settings: kept, rest: withoutOtherClouds(draft.rest, next) }),
    });
  };
  const data = networks.map(({ metadata }) => {
    const { cloud: of, region, simulated } = locations.find("Network", metadata.name);
    const where = [findCloud(of)?.title ?? "", region].filter((word) => word !== "").join(" ");
    return { value: metadata.name, label: `${metadata.name} · ${where}${simulated ? " (simulated)" : ""}` };
  });
  return (
    <>
      <Panel title="Cluster">
        <Stack gap="md">
          <Select
            label="Network"
            required
            withAsterisk={false}
            allowDeselect={false}
            data={data}
            value={draft.network || null}
            {...at("spec.network")}
            onChange={(network) => changeNetwork(network ?? "")}
          />
          <Autocomplete
            label="Kubernetes version"
            description="Leave empty to use the cloud's default version"
            data={listOffered(cloud)}
            value={draft.version}
            {...at("spec.version")}
            onChange={(version) => set("spec.version", { version })}
          />
          <NumberInput
            label="Workers"
            description="Size of the default node pool. You can add more pools later."
            min={0}
            max={1000}
            value={draft.workers}
            {...at("spec.workers")}
            onChange={(workers) => set("spec.workers", { workers: workers === "" ? "" : Number(workers) })}
          />
          <Autocomplete
            label="Machine type"
            description={`Leave empty to use ${known === "" ? "the default" : getCloud(cloud).machines.defaultType}`}
            data={[...getCloud(cloud).machines.suggestedTypes]}
            value={draft.instanceType}
            {...at("spec.instanceType")}
            onChange={(instanceType) => set("spec.instanceType", { instanceType })}
          />
          <Select
            label="Approval required"
            description="Which plans need approval before they are applied"
            allowDeselect={false}
            data={[
              { value: "", label: "Only plans that replace or delete resources" },
              { value: "always", label: "All plans" },
            ]}
            value={draft.approval}
            {...at("spec.infra.approval")}
            onChange={(approval) => set("spec.infra.approval", { approval: approval ?? "" })}
          />
        </Stack>
      </Panel>
      {known !== "" && <SettingPanels {...props} groups={settings.cluster} />}
    </>
  );
}
