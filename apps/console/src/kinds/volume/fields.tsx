import { NumberInput, Select, Stack } from "@mantine/core";
import { findCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { useLocations } from "../../data/use-locations.ts";
import { Panel } from "../../design/layout.tsx";
import type { FieldsProps } from "../create-form.ts";
import { useAttachable } from "./use-attachable.ts";

export type VolumeValues = {
  readonly account: string;
  readonly sizeGib: number | "";
  readonly instance: string;
  readonly sourceSnapshot: string;
};

/** Renders the form fields for a volume's account, size and instance. */
export function VolumeFields({ draft, set, at }: FieldsProps<VolumeValues>): ReactNode {
  const accounts = useEntities("Account");
  const locations = useLocations();
  const instances = useAttachable(draft.account);
  const snapshots = useEntities("VolumeSnapshot").filter(({ spec }) => spec?.account === draft.account);
  const usable = accounts.filter(
    ({ metadata }) => findCloud(locations.find("Account", metadata.name).cloud)?.hasVolumes === true,
  );
  return (
    <Panel title="Volume">
      <Stack gap="md">
        <Select
          label="Account"
          description="Accounts of your own machines. In other clouds, create Storage for a cluster instead."
          required
          withAsterisk={false}
          allowDeselect={false}
          data={usable.map(({ metadata }) => metadata.name)}
          value={draft.account || null}
          {...at("spec.account")}
          onChange={(account) => set("spec.account", { account: account ?? "", instance: "", sourceSnapshot: "" })}
        />
        <NumberInput
          label="Size in GiB"
          description="Can be increased later, but never reduced"
          min={1}
          max={65_536}
          value={draft.sizeGib}
          {...at("spec.sizeGib")}
          onChange={(sizeGib) => set("spec.sizeGib", { sizeGib: sizeGib === "" ? "" : Number(sizeGib) })}
        />
        <Select
          label="Snapshot"
          description="The volume starts with this snapshot's data. Leave empty for an empty volume"
          clearable
          data={snapshots.map(({ metadata }) => metadata.name)}
          value={draft.sourceSnapshot || null}
          {...at("spec.sourceSnapshot")}
          onChange={(sourceSnapshot) => set("spec.sourceSnapshot", { sourceSnapshot: sourceSnapshot ?? "" })}
        />
        <Select
          label="Instance"
          description="Leave empty to attach the volume later"
          clearable
          data={instances}
          value={draft.instance || null}
          {...at("spec.instance")}
          onChange={(instance) => set("spec.instance", { instance: instance ?? "" })}
        />
      </Stack>
    </Panel>
  );
}
