import { Autocomplete, Group, NumberInput, Select, Stack, TextInput } from "@mantine/core";
import { findCloud, listRegions } from "@cloudwright/contract/clouds";
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
  readonly region: string;
  readonly zone: string;
  readonly type: string;
};

/** Renders the form fields for a volume's account, place, size and instance. */
export function VolumeFields({ draft, set, at }: FieldsProps<VolumeValues>): ReactNode {
  const accounts = useEntities("Account");
  const locations = useLocations();
  const instances = useAttachable(draft.account);
  const { cloud } = locations.find("Account", draft.account);
  const hasRegions = (findCloud(cloud)?.regions.default ?? "") !== "";
  const regions = cloud === "" ? [] : listRegions(cloud);
  const usable = accounts.filter(
    ({ metadata }) => findCloud(locations.find("Account", metadata.name).cloud)?.hasVolumes === true,
  );
  return (
    <Panel title="Volume">
      <Stack gap="md">
        <Select
          label="Account"
          description="The volume can be attached to instances in this account"
          required
          withAsterisk={false}
          allowDeselect={false}
          data={usable.map(({ metadata }) => metadata.name)}
          value={draft.account || null}
          {...at("spec.account")}
          onChange={(account) => set("spec.account", { account: account ?? "", instance: "", region: "", zone: "", type: "" })}
        />
        {hasRegions && (
          <Group gap="sm" align="flex-start" grow>
            <Autocomplete
              label="Region"
              description="The region of the instances"
              required
              withAsterisk={false}
              data={[...regions]}
              value={draft.region}
              {...at("spec.region")}
              onChange={(region) => set("spec.region", { region })}
            />
            <TextInput
              label="Zone"
              description="Leave empty for the first zone"
              value={draft.zone}
              {...at("spec.zone")}
              onChange={(event) => set("spec.zone", { zone: event.currentTarget.value.trim() })}
            />
            <TextInput
              label="Type"
              description="Leave empty for an SSD"
              value={draft.type}
              {...at("spec.type")}
              onChange={(event) => set("spec.type", { type: event.currentTarget.value.trim() })}
            />
          </Group>
        )}
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
