import { Autocomplete, SegmentedControl, Select, Stack, TextInput } from "@mantine/core";
import { defaultCloud, findCloud, listRegions } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import type { CloudView } from "../../clouds/cloud-view.ts";
import { findCloudView, getCloudView, withoutOtherClouds } from "../../clouds/registry.ts";
import { useEntities } from "../../data/live.tsx";
import { removePath } from "../../data/spec-paths.ts";
import { useLocations } from "../../data/use-locations.ts";
import { Note, Panel } from "../../design/layout.tsx";
import { SettingPanels } from "../../settings/setting-panels.tsx";
import { pickValues } from "../../settings/setting-values.ts";
import { AddressPlanner } from "./address-planner.tsx";
import { chooseZones, suggestLocation } from "./choose-zones.ts";
import type { FieldsProps } from "../create-form.ts";
import { findOverlaps } from "./find-ranges.ts";
import { ZoneChoice } from "./zone-choice.tsx";

export type NetworkValues = {
  readonly account: string;
  /** Whether the platform creates the network or uses an existing one. */
  readonly source: "new" | "existing";
  readonly region: string;
  readonly cidr: string;
  readonly zones: readonly string[];
  readonly nat: string;
};

/** Renders the form fields for a network's location and addresses. */
export function NetworkFields(props: FieldsProps<NetworkValues>): ReactNode {
  const { draft, set, at } = props;
  const locations = useLocations();
  const cloud = locations.find("Account", draft.account).cloud || defaultCloud;
  const view = findCloudView(cloud) ?? getCloudView(defaultCloud);
  const hasRegions = listRegions(cloud).length > 0;
  const accounts = useEntities("Account");
  const changeAccount = (account: string): void => {
    const next = locations.find("Account", account).cloud || defaultCloud;
    if (next === cloud) return set("spec.account", { account });
    const nextView = getCloudView(next);
    const source = canUseExisting(nextView) ? draft.source : "new";
    const { newNetwork, existingNetwork } = nextView.settings;
    const rest = withoutOtherClouds(draft.rest, next);
    set("spec.account", {
      account,
      ...suggestLocation(next),
      nat: "",
      source,
      settings: pickValues(draft.settings, source === "new" ? newNetwork : existingNetwork),
      rest: source === "new" ? removePath(rest, "existing") : rest,
    });
  };
  const changeSource = (source: string): void => {
    const isNew = source === "new";
    set("spec.existing", {
      source: isNew ? "new" : "existing",
      settings: pickValues(draft.settings, isNew ? view.settings.newNetwork : view.settings.existingNetwork),
      rest: removePath(draft.rest, isNew ? "existing" : "subnets"),
    });
  };
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
              label: `${metadata.name}${describeAccount(locations.find("Account", metadata.name).cloud, spec?.simulated === true)}`,
            }))}
            value={draft.account || null}
            {...at("spec.account")}
            onChange={(account) => changeAccount(account ?? "")}
          />
          {hasRegions && (
            <Autocomplete
              label="Region"
              data={[...listRegions(cloud)]}
              value={draft.region}
              {...at("spec.region")}
              onChange={(region) => set("spec.region", { region, zones: chooseZones(cloud, region, draft.zones) })}
            />
          )}
          {(canUseExisting(view) || draft.source === "existing") && (
            <SegmentedControl
              aria-label="Kind of network"
              data={[
                { value: "new", label: `New ${view.words.network}` },
                { value: "existing", label: `Existing ${view.words.network}` },
              ]}
              value={draft.source}
              onChange={changeSource}
            />
          )}
          {draft.source === "new" && (
            <Select
              label="Egress"
              allowDeselect={false}
              data={view.egress.map(([value, label]) => ({ value: String(value), label }))}
              value={draft.nat}
              {...at("spec.nat")}
              onChange={(nat) => set("spec.nat", { nat: nat ?? "" })}
            />
          )}
          {draft.source === "existing" && (
            <Note tone="busy">
              <p>The platform uses the {view.words.network} and never changes or deletes it.</p>
            </Note>
          )}
        </Stack>
      </Panel>
      {draft.source === "new" ? (
        <>
          <Addresses {...props} />
          <SettingPanels {...props} groups={view.settings.newNetwork} />
        </>
      ) : (
        <SettingPanels {...props} groups={view.settings.existingNetwork} />
      )}
    </>
  );
}

/** A cloud without settings for existing networks cannot use them. A spec that was entered as YAML can have one nevertheless. */
function canUseExisting({ settings }: CloudView): boolean {
  return settings.existingNetwork.length > 0;
}

function Addresses({ draft, set, at }: FieldsProps<NetworkValues>): ReactNode {
  const cloud = useLocations().find("Account", draft.account).cloud || defaultCloud;
  const networks = useEntities("Network");
  const same = findOverlaps(
    draft.cidr,
    networks.map(({ metadata, spec }) => ({ name: metadata.name, cidr: spec?.cidr ?? "" })),
  );
  return (
    <Panel title="Addresses">
      <Stack gap="md">
        <TextInput
          label="Address range"
          description="In CIDR notation, such as 10.0.0.0/16"
          value={draft.cidr}
          {...at("spec.cidr")}
          onChange={(event) => set("spec.cidr", { cidr: event.currentTarget.value.trim() })}
        />
        {same.length > 0 && (
          <Note tone="warn">
            <p>Overlaps with {same.join(", ")}. Networks with overlapping ranges cannot be connected.</p>
          </Note>
        )}
        {listRegions(cloud).length > 0 && (
          <ZoneChoice
            cloud={cloud}
            region={draft.region}
            zones={draft.zones}
            field={at("spec.zones")}
            onChange={(zones) => set("spec.zones", { zones })}
          />
        )}
        <AddressPlanner view={getCloudView(cloud)} cidr={draft.cidr} zones={draft.zones} settings={draft.settings} />
      </Stack>
    </Panel>
  );
}

function describeAccount(cloud: string, isSimulated: boolean): string {
  return [cloud === "" ? "" : ` · ${findCloud(cloud)?.title ?? cloud}`, isSimulated ? " (simulated)" : ""].join("");
}
