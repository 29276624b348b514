import { NumberInput, SegmentedControl, Select, Stack, Switch } from "@mantine/core";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { Panel } from "../../design/layout.tsx";
import type { Draft } from "./build-entity.ts";
import type { FieldsProps } from "./fields-props.ts";

/** A bucket or a volume beside a cluster. */
export function StorageFields({ draft, set, at }: FieldsProps): ReactNode {
  const clusters = useEntities("Cluster");
  return (
    <Panel title="Storage">
      <Stack gap="md">
        <Select
          label="Cluster"
          required
          withAsterisk={false}
          allowDeselect={false}
          data={clusters.map(({ metadata }) => metadata.name)}
          value={draft.cluster || null}
          {...at("spec.cluster")}
          onChange={(cluster) => set("spec.cluster", { cluster: cluster ?? "" })}
        />
        <SegmentedControl
          aria-label="Type"
          data={[
            { value: "bucket", label: "Bucket" },
            { value: "volume", label: "Volume" },
          ]}
          value={draft.storageType}
          onChange={(type) => set("spec", { storageType: type as Draft["storageType"] })}
        />
        {draft.storageType === "bucket" ? (
          <Switch
            label="Keep versions of objects"
            checked={draft.versioning}
            onChange={(event) => set("spec.bucket.versioning", { versioning: event.currentTarget.checked })}
          />
        ) : (
          <NumberInput
            label="Size in GiB"
            min={1}
            max={65_536}
            value={draft.sizeGib}
            {...at("spec.volume.sizeGib")}
            onChange={(sizeGib) => set("spec.volume.sizeGib", { sizeGib: Number(sizeGib) })}
          />
        )}
      </Stack>
    </Panel>
  );
}
