import { Autocomplete, NumberInput, Select, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { useAtlas } from "../../data/use-atlas.ts";
import { Panel } from "../../design/layout.tsx";
import type { FieldsProps } from "./fields-props.ts";
import { kubernetesVersions } from "./kubernetes-versions.ts";

const machines = ["t3.medium", "t3.large", "m6i.large", "m6i.xlarge", "m7g.large", "c6i.large", "r6i.large"];

/** Renders the form fields for the network, version and workers of a cluster. */
export function ClusterFields({ draft, set, at }: FieldsProps): ReactNode {
  const networks = useEntities("Network");
  const atlas = useAtlas();
  const data = networks.map(({ metadata }) => {
    const { region, simulated } = atlas.ofNetwork(metadata.name);
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
          description="The cloud's name for it. Leave empty for the default."
          data={machines}
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
