import { expect, test } from "vitest";
import type { Row } from "../../kinds/kind-view.ts";
import { listPlaces, noFilters, passes } from "./list-filters.ts";

const row = (cloud: string, region: string, environment = ""): Row =>
  ({
    entity: { metadata: { name: region, environment } },
    where: { cloud, region, simulated: true },
    childCount: 0,
  }) as unknown as Row;
const rows = [row("aws", "eu-west-1", "prod"), row("gcp", "europe-west1"), row("gcp", "us-east1", "prod"), row("", "")];

test("M029 lists can be filtered by cloud, region and environment, and the filters offer only values that occur in the list", () => {
  expect(listPlaces(rows, noFilters)).toEqual({ clouds: ["aws", "gcp"], regions: ["eu-west-1", "europe-west1", "us-east1"] });
  expect(listPlaces(rows, { ...noFilters, cloud: "gcp" }).regions).toEqual(["europe-west1", "us-east1"]);
  const shown = (filters: object) =>
    rows.filter((each) => passes(each, { ...noFilters, ...filters })).map(({ where }) => where.region);
  expect(shown({})).toHaveLength(4);
  expect(shown({ cloud: "gcp" })).toEqual(["europe-west1", "us-east1"]);
  expect(shown({ cloud: "gcp", environment: "prod" })).toEqual(["us-east1"]);
  expect(shown({ region: "eu-west-1", cloud: "gcp" })).toEqual([]);
});
