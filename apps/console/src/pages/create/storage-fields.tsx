import { NumberInput, SegmentedControl, Stack, Switch } from "@mantine/core";
import type { ReactNode } from "react";
import { Panel } from "../../design/layout.tsx";
import type { Draft } from "./build-entity.ts";
import { ClusterChoice } from "./cluster-choice.tsx";
import type { FieldsProps } from "./fields-props.ts";

/** Renders the form fields for a bucket or a volume. */
export function StorageFields(props: FieldsProps): ReactNode {
  const { draft, set, at } = props;
  return (
    <Panel title="Storage">
      <Stack gap="md">
        <ClusterChoice {...props} path="spec.cluster" />
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
            label="Keep object versions"
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
