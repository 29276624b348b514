import { Select } from "@mantine/core";
import { findCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import type { Row } from "../../kinds/kind-view.ts";
import { listPlaces, type ListFilters } from "./list-filters.ts";

/** Renders the filters of a list. A filter appears only if there is something to choose from. */
export function Filters(props: {
  readonly rows: readonly Row[];
  readonly environments: readonly string[];
  readonly value: ListFilters;
  readonly onChange: (filters: ListFilters) => void;
}): ReactNode {
  const { rows, environments, value, onChange } = props;
  const { clouds, regions } = listPlaces(rows, value);
  const shared = { clearable: true, size: "sm", className: "cw-filter" } as const;
  return (
    <>
      {(clouds.length > 1 || value.cloud !== null) && (
        <Select
          {...shared}
          aria-label="Cloud"
          placeholder="All clouds"
          data={clouds.map((cloud) => ({ value: cloud, label: findCloud(cloud)?.title ?? cloud }))}
          value={value.cloud}
          // Clears the region, because it may not exist in the new cloud.
          onChange={(cloud) => onChange({ ...value, cloud, region: null })}
        />
      )}
      {(regions.length > 1 || value.region !== null) && (
        <Select
          {...shared}
          aria-label="Region"
          placeholder="All regions"
          searchable
          data={[...regions]}
          value={value.region}
          onChange={(region) => onChange({ ...value, region })}
        />
      )}
      {environments.length > 0 && (
        <Select
          {...shared}
          aria-label="Environment"
          placeholder="All environments"
          data={[...environments]}
          value={value.environment}
          onChange={(environment) => onChange({ ...value, environment })}
        />
      )}
    </>
  );
}
