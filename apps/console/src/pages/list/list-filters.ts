import type { Row } from "../../kinds/kind-view.ts";

/** The filters of a list. A null filter matches everything. */
export interface ListFilters {
  readonly cloud: string | null;
  readonly region: string | null;
  readonly environment: string | null;
}

export const noFilters: ListFilters = { cloud: null, region: null, environment: null };

/** Returns whether a row matches all filters. */
export function passes({ entity, where }: Row, { cloud, region, environment }: ListFilters): boolean {
  return (
    (cloud === null || where.cloud === cloud) &&
    (region === null || where.region === region) &&
    (environment === null || entity.metadata.environment === environment)
  );
}

/** Returns the clouds and regions that occur in the rows, as filter options. If a cloud is selected, returns only its regions. */
export function listPlaces(
  rows: readonly Row[],
  { cloud }: ListFilters,
): { readonly clouds: readonly string[]; readonly regions: readonly string[] } {
  const clouds = new Set(rows.map(({ where }) => where.cloud));
  const regions = new Set(rows.filter(({ where }) => cloud === null || where.cloud === cloud).map(({ where }) => where.region));
  return { clouds: sortNames(clouds), regions: sortNames(regions) };
}

function sortNames(names: ReadonlySet<string>): string[] {
  return [...names].filter((name) => name !== "").toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
