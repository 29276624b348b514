import { Autocomplete, NumberInput, Select, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { useAtlas } from "../../data/use-atlas.ts";
import { Panel } from "../../design/layout.tsx";
import type { FieldsProps } from "./fields-props.ts";
import { kubernetesVersions } from "./kubernetes-versions.ts";

const machines = ["t3.medium", "t3.large", "m6i.large", "m6i.xlarge", "m7g.large", "c6i.large", "r6i.large"];

/** Where a cluster lies, which version it runs, and on what. */
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
          description="The newest on offer when empty"
          data={kubernetesVersions}
          value={draft.version}
          {...at("spec.version")}
          onChange={(version) => set("spec.version", { version })}
        />
        <NumberInput
          label="Workers"
          description="In the default node pool; more pools can be added later"
          min={0}
          max={1000}
          value={draft.workers}
          {...at("spec.workers")}
          onChange={(workers) => set("spec.workers", { workers: Number(workers) })}
        />
        <Autocomplete
          label="Machine type"
          description="In the cloud's own words; chosen by the platform when empty"
          data={machines}
          value={draft.instanceType}
          {...at("spec.instanceType")}
          onChange={(instanceType) => set("spec.instanceType", { instanceType })}
        />
        <Select
          label="Approval"
          description="Whose word a plan needs before it is applied"
          allowDeselect={false}
          data={[
            { value: "", label: "Only what replaces or removes something" },
            { value: "always", label: "Every plan" },
          ]}
          value={draft.approval}
          {...at("spec.infra.approval")}
          onChange={(approval) => set("spec.infra.approval", { approval: approval ?? "" })}
        />
      </Stack>
    </Panel>
  );
}
