import { Autocomplete, MultiSelect, NumberInput, Select, Stack, Switch } from "@mantine/core";
import { defaultCloud, findCloud, getCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { useLocations } from "../../data/use-locations.ts";
import { Panel } from "../../design/layout.tsx";
import type { FieldsProps } from "../create-form.ts";
import { canSet } from "./can-set.ts";

export type InstanceValues = {
  readonly network: string;
  /** Inventory whose machine the instance claims. Empty for a created machine. */
  readonly inventory: string;
  readonly machineType: string;
  readonly image: string;
  readonly sshKeys: readonly string[];
  readonly securityGroups: readonly string[];
  readonly sizeGib: number | "";
  readonly publicAddress: boolean;
};

const usualDiskGib = 20;
const usualImages = ["ubuntu-24.04", "ubuntu-22.04", "debian-12"];

/** Renders the form fields for an instance's network, machine, image and keys. Other fields can be set as YAML. */
export function InstanceFields({ draft, set, at }: FieldsProps<InstanceValues>): ReactNode {
  const [networks, keys, groups] = [useEntities("Network"), useEntities("SshKey"), useEntities("SecurityGroup")];
  const inventories = useEntities("Inventory");
  const locations = useLocations();
  const { machines, instances, title, hasSecurityGroups } = getCloud(
    locations.find("Network", draft.network).cloud || defaultCloud,
  );
  const images = instances?.defaultImage === undefined ? usualImages : [instances.defaultImage];
  const needsKey = instances?.listProblems({ sshKeys: [] }).some(({ field }) => field === "spec.sshKeys") === true;
  const hasPublicAddresses = canSet(instances, { publicAddress: true }, "spec.publicAddress");
  const encryptsDisks = canSet(instances, { rootDisk: { encrypted: true } }, "spec.rootDisk.encrypted");
  const usable = networks.flatMap(({ metadata }) => {
    const { cloud, region, simulated } = locations.find("Network", metadata.name);
    const facts = findCloud(cloud);
    if (facts?.hasInstances !== true) return [];
    return [
      {
        value: metadata.name,
        label: `${metadata.name} · ${[facts.title, region].join(" ").trim()}${simulated ? " (simulated)" : ""}`,
      },
    ];
  });
  return (
    <Panel title="Instance">
      <Stack gap="md">
        <Select
          label="Network"
          required={draft.inventory === ""}
          withAsterisk={false}
          allowDeselect={false}
          data={usable}
          value={draft.network || null}
          {...at("spec.network")}
          onChange={(network) => set("spec.network", { network: network ?? "", inventory: "", securityGroups: [] })}
        />
        {inventories.length > 0 && (
          <Select
            label="Inventory"
            description="Claim a machine that already exists instead of creating one. Leave the machine type, the image and the disk empty."
            clearable
            data={inventories.map(({ metadata }) => metadata.name)}
            value={draft.inventory || null}
            {...at("spec.inventory")}
            onChange={(inventory) => set("spec.inventory", { inventory: inventory ?? "", network: "", securityGroups: [] })}
          />
        )}
        <Autocomplete
          label="Machine type"
          description={`Leave empty to use ${machines.defaultType}`}
          data={[...machines.suggestedTypes]}
          value={draft.machineType}
          {...at("spec.machineType")}
          onChange={(machineType) => set("spec.machineType", { machineType })}
        />
        <Autocomplete
          label="Image"
          description={`Leave empty to use ${images[0] ?? ""}`}
          data={images}
          value={draft.image}
          {...at("spec.image")}
          onChange={(image) => set("spec.image", { image })}
        />
        <MultiSelect
          label="SSH keys"
          description={`Installed when the instance first starts. Cannot be changed later.${needsKey ? ` ${title} requires at least one.` : ""}`}
          data={keys.map(({ metadata }) => metadata.name)}
          value={[...draft.sshKeys]}
          {...at("spec.sshKeys")}
          onChange={(sshKeys) => set("spec.sshKeys", { sshKeys })}
        />
        {hasSecurityGroups === true && (
          <MultiSelect
            label="Security groups"
            description="Groups in the instance's network. Without any, nothing can connect to the instance."
            data={groups.filter(({ spec }) => spec?.network === draft.network).map(({ metadata }) => metadata.name)}
            value={[...draft.securityGroups]}
            {...at("spec.securityGroups")}
            onChange={(securityGroups) => set("spec.securityGroups", { securityGroups })}
          />
        )}
        <NumberInput
          label="Root disk in GiB"
          description={`Leave empty to use ${instances?.defaultDiskGib ?? usualDiskGib}${encryptsDisks ? ". Encrypted unless you disable encryption in the YAML" : ""}`}
          min={1}
          max={16_384}
          value={draft.sizeGib}
          {...at("spec.rootDisk.sizeGib", "spec.rootDisk")}
          onChange={(sizeGib) => set("spec.rootDisk.sizeGib", { sizeGib: sizeGib === "" ? "" : Number(sizeGib) })}
        />
        {(hasPublicAddresses || draft.publicAddress) && (
          <Switch
            label="Public address"
            checked={draft.publicAddress}
            onChange={(event) => set("spec.publicAddress", { publicAddress: event.currentTarget.checked })}
          />
        )}
      </Stack>
    </Panel>
  );
}
