import { NumberInput, SegmentedControl, Stack, Switch } from "@mantine/core";
import { defaultCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { getCloudView } from "../../clouds/registry.ts";
import { removePath } from "../../data/spec-paths.ts";
import { useLocations } from "../../data/use-locations.ts";
import { Panel } from "../../design/layout.tsx";
import { ClusterChoice } from "../cluster/cluster-choice.tsx";
import { SettingPanels } from "../../settings/setting-panels.tsx";
import { pickValues } from "../../settings/setting-values.ts";
import type { FieldsProps } from "../create-form.ts";

export type StorageValues = {
  readonly cluster: string;
  readonly type: "bucket" | "volume";
  readonly versioning: boolean;
  readonly sizeGib: number | "";
};

/** Renders the form fields of a bucket or a volume. */
export function StorageFields(props: FieldsProps<StorageValues>): ReactNode {
  const { draft, set, at } = props;
  const locations = useLocations();
  const known = locations.find("Cluster", draft.cluster).cloud;
  const cloud = known || defaultCloud;
  const { words, settings } = getCloudView(cloud);
  const changeCluster = (cluster: string): void => {
    const next = locations.find("Cluster", cluster).cloud || defaultCloud;
    const kept = pickValues(draft.settings, getCloudView(next).settings[draft.type]);
    set("spec.cluster", { cluster, ...(next === cloud ? {} : { settings: kept }) });
  };
  const changeType = (type: StorageValues["type"]): void =>
    set("spec", {
      type,
      settings: pickValues(draft.settings, settings[type]),
      rest: removePath(draft.rest, type === "bucket" ? "volume" : "bucket"),
    });
  return (
    <>
      <Panel title="Storage">
        <Stack gap="md">
          <ClusterChoice value={draft.cluster} field={at("spec.cluster")} onChange={changeCluster} />
          <SegmentedControl
            aria-label="Type"
            data={[
              { value: "bucket", label: known === "" ? "Bucket" : capitalize(words.bucket) },
              { value: "volume", label: known === "" ? "Volume" : capitalize(words.volume) },
            ]}
            value={draft.type}
            onChange={(type) => changeType(type === "volume" ? "volume" : "bucket")}
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
              onChange={(sizeGib) => set("spec.volume.sizeGib", { sizeGib: sizeGib === "" ? "" : Number(sizeGib) })}
            />
          )}
        </Stack>
      </Panel>
      {known !== "" && <SettingPanels {...props} groups={settings[draft.type]} />}
    </>
  );
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
