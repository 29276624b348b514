import { Autocomplete, Chip, Group, Input, Select, Stack, TextInput } from "@mantine/core";
import { defaultCloud, listRegions } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { findCloudView } from "../../clouds/registry.ts";
import { useEntities } from "../../data/live.tsx";
import { useLocations } from "../../data/use-locations.ts";
import { Note, Panel } from "../../design/layout.tsx";
import { AddressPlanner } from "./address-planner.tsx";
import type { FieldsProps } from "../create-form.ts";
import { findOverlaps } from "./plan-addresses.ts";

const egressOptions = [
  { value: "", label: "Default" },
  { value: "per-zone", label: "One NAT gateway per zone: survives the loss of a zone" },
  { value: "single", label: "One NAT gateway: cheaper" },
  { value: "none", label: "None: workers have no internet access" },
];

export type NetworkValues = {
  readonly account: string;
  readonly region: string;
  readonly cidr: string;
  readonly zones: readonly string[];
  readonly nat: string;
};

/** Renders the form fields for a network's location and addresses. */
export function NetworkFields({ draft, set, at }: FieldsProps<NetworkValues>): ReactNode {
  const { cloud } = useLocations().find("Account", draft.account);
  const accounts = useEntities("Account");
  const networks = useEntities("Network");
  const zones = at("spec.zones");
  const same = findOverlaps(
    draft.cidr,
    networks.map(({ metadata, spec }) => ({ name: metadata.name, cidr: spec?.cidr ?? "" })),
  );
  return (
    <>
      <Panel title="Location">
        <Stack gap="md">
          <Select
            label="Account"
            required
            withAsterisk={false}
            allowDeselect={false}
            data={accounts.map(({ metadata, spec }) => ({
              value: metadata.name,
              label: spec?.simulated === true ? `${metadata.name} (simulated)` : metadata.name,
            }))}
            value={draft.account || null}
            {...at("spec.account")}
            onChange={(account) => set("spec.account", { account: account ?? "" })}
          />
          <Autocomplete
            label="Region"
            data={[...listRegions(cloud || defaultCloud)]}
            value={draft.region}
            {...at("spec.region")}
            onChange={(region) => set("spec.region", { region })}
          />
          <Select
            label="Egress"
            allowDeselect={false}
            data={egressOptions}
            value={draft.nat}
            {...at("spec.nat")}
            onChange={(nat) => set("spec.nat", { nat: nat ?? "" })}
          />
        </Stack>
      </Panel>
      <Panel title="Addresses">
        <Stack gap="md">
          <TextInput
            label="Address range"
            description="In CIDR notation, with a prefix length from 8 to 23"
            value={draft.cidr}
            {...at("spec.cidr")}
            onChange={(event) => set("spec.cidr", { cidr: event.currentTarget.value.trim() })}
          />
          {same.length > 0 && (
            <Note tone="warn">
              <p>Overlaps with {same.join(", ")}. Networks with overlapping ranges cannot be connected.</p>
            </Note>
          )}
          <div>
            <div style={{ fontSize: 13, fontWeight: 500, marginBottom: 6 }} id="zones">
              Zones
            </div>
            <Chip.Group
              multiple
              value={[...draft.zones]}
              onChange={(chosen: string[]) => set("spec.zones", { zones: chosen.toSorted() })}
            >
              <Group gap={8} role="group" aria-labelledby="zones" data-field={zones["data-field"]}>
                {(findCloudView(cloud || defaultCloud)?.zones ?? []).map((zone) => (
                  <Chip key={zone} value={zone} size="sm">
                    {zone}
                  </Chip>
                ))}
              </Group>
            </Chip.Group>
            {zones.error !== undefined && <Input.Error mt={6}>{zones.error}</Input.Error>}
          </div>
          <AddressPlanner cidr={draft.cidr} zones={draft.zones} cloud={cloud || defaultCloud} />
        </Stack>
      </Panel>
    </>
  );
}
