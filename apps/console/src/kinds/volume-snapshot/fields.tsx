import { Select } from "@mantine/core";
import { findCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { useLocations } from "../../data/use-locations.ts";
import { Panel } from "../../design/layout.tsx";
import type { FieldsProps } from "../create-form.ts";

export type VolumeSnapshotValues = { readonly account: string; readonly volume: string };

/** Renders the form field for the volume to copy. */
export function VolumeSnapshotFields({ draft, set, at }: FieldsProps<VolumeSnapshotValues>): ReactNode {
  const volumes = useEntities("Volume");
  const locations = useLocations();
  const usable = volumes.filter(
    ({ metadata }) => findCloud(locations.find("Volume", metadata.name).cloud)?.hasVolumeSnapshots === true,
  );
  return (
    <Panel title="Snapshot">
      <Select
        label="Volume"
        description="Its data is copied. A mounted file system cannot be written to during the copy."
        required
        withAsterisk={false}
        allowDeselect={false}
        data={usable.map(({ metadata }) => metadata.name)}
        value={draft.volume || null}
        {...at("spec.volume")}
        onChange={(name) => {
          const account = usable.find(({ metadata }) => metadata.name === name)?.spec?.account ?? "";
          set("spec.volume", { account, volume: name ?? "" });
        }}
      />
    </Panel>
  );
}
