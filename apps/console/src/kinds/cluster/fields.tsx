import { Autocomplete, NumberInput, Select, Stack } from "@mantine/core";
import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { useLocations } from "../../data/use-locations.ts";
import { Panel } from "../../design/layout.tsx";
import type { FieldsProps } from "../create-form.ts";
import { kubernetesVersions } from "./kubernetes-versions.ts";

export type ClusterValues = {
  readonly network: string;
  readonly version: string;
  readonly workers: number;
  readonly instanceType: string;
  readonly approval: string;
};

/** Renders the form fields for a cluster's network, version and workers. */
export function ClusterFields({ draft, set, at }: FieldsProps<ClusterValues>): ReactNode {
  const networks = useEntities("Network");
  const locations = useLocations();
  const { cloud } = locations.find("Network", draft.network);
  const data = networks.map(({ metadata }) => {
    const { region, simulated } = locations.find("Network", metadata.name);
    return { value: metadata.name, label: `${metadata.name} · ${region}${simulated ? " (simulated)" : ""}` };
  });
  return (
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
          onChange={(network) => set("spec.network", { network: network ?? "" })}
        />
        <Autocomplete
          label="Kubernetes version"
          description="Leave empty for the latest version"
          data={kubernetesVersions}
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
          onChange={(workers) => set("spec.workers", { workers: Number(workers) })}
        />
        <Autocomplete
          label="Machine type"
          description="A machine type offered by the cloud. Leave empty for the default."
          data={[...getCloud(cloud || defaultCloud).machines.suggestedTypes]}
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
  );
}
