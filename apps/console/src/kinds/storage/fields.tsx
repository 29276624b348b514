import { NumberInput, SegmentedControl, Stack, Switch } from "@mantine/core";
import type { ReactNode } from "react";
import { Panel } from "../../design/layout.tsx";
import { ClusterChoice } from "../cluster/cluster-choice.tsx";
import type { FieldsProps } from "../create-form.ts";

export type StorageValues = {
  readonly cluster: string;
  readonly type: "bucket" | "volume";
  readonly versioning: boolean;
  readonly sizeGib: number;
};

/** Renders the form fields of a bucket or a volume. */
export function StorageFields({ draft, set, at }: FieldsProps<StorageValues>): ReactNode {
  return (
    <Panel title="Storage">
      <Stack gap="md">
        <ClusterChoice
          value={draft.cluster}
          field={at("spec.cluster")}
          onChange={(cluster) => set("spec.cluster", { cluster })}
        />
        <SegmentedControl
          aria-label="Type"
          data={[
            { value: "bucket", label: "Bucket" },
            { value: "volume", label: "Volume" },
          ]}
          value={draft.type}
          onChange={(type) => set("spec", { type: type as StorageValues["type"] })}
        />
        {draft.type === "bucket" ? (
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
